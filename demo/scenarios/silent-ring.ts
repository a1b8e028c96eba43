import { createTidemark, guardResume } from '@/packages/mcp/src/index';
import { connectClient } from '../clients/mcp-client';
import { NumberedRingStore } from '../servers/numbered-ring-store';
import { startV1Server } from '../servers/sdk-v1-server';
import { type DemoContext, identityFor, type Scenario } from './scenario';

const RING_SIZE = 6;

/** An SDK 1.x server that keeps six events and resumes below them without a word. Watched, not guarded. */
export async function startSilentRing({ url, key, say }: DemoContext): Promise<Scenario> {
  const tidemark = createTidemark({
    url,
    server: 'orders',
    node: 'orders-1',
    recording: 'everything',
    ...(key === undefined ? {} : { key }),
  });
  const server = await startV1Server({
    openStore: (sessionId) => {
      const ring = new NumberedRingStore(RING_SIZE);
      return tidemark.eventStore(ring, { sessionId, isRetained: (id) => ring.has(id) });
    },
    wrap: (handler) => guardResume(handler, { tidemark, enforce: false }),
  });
  say(`orders: SDK 1.x, a ring of ${RING_SIZE} events, resumes below its floor in silence (${server.url.href})`);
  return {
    name: 'orders',
    round: async (index) => {
      const client = await connectClient(server.url, identityFor(index));
      try {
        await client.call('work', { steps: 3, drop_at: 2 });
        const lost = 4 + (index % 5) * 3;
        await client.call('work', { steps: RING_SIZE + lost, drop_at: 2 });
      } finally {
        await client.end();
      }
    },
    close: async () => {
      await server.close();
      await tidemark.close();
    },
  };
}
