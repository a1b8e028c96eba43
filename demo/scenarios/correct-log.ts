import { createTidemark, guardResume, SessionEventLog } from '@/packages/mcp/src/index';
import { connectClient, type DemoClient } from '../clients/mcp-client';
import { startV2Server } from '../servers/sdk-v2-server';
import { type DemoContext, identityFor, type Scenario } from './scenario';

const LOG_SIZE = 12;
/** A refused call hangs in today's TypeScript clients until its own timeout. */
const REFUSED_CALL_TIMEOUT_MS = 700;

/** An SDK 2.x server with a bounded session log and the guard: safe resumes, and refusals that say why. */
export async function startCorrectLog({ url, key, say }: DemoContext): Promise<Scenario> {
  const tidemark = createTidemark({
    url,
    server: 'reports',
    node: 'reports-1',
    recording: 'everything',
    ...(key === undefined ? {} : { key }),
  });
  const server = await startV2Server({
    openStore: (sessionId) => tidemark.eventStore(new SessionEventLog({ sessionId, maxEvents: LOG_SIZE }), { sessionId }),
    wrap: (handler) => guardResume(handler, { tidemark }),
  });
  say(`reports: SDK 2.x, a session log of ${LOG_SIZE} events per stream behind guardResume (${server.url.href})`);
  return {
    name: 'reports',
    round: async (index) => {
      const client = await connectClient(server.url, identityFor(index + 1));
      try {
        await client.call('work', { steps: 4, drop_at: 2 });
        await client.call('work', { steps: LOG_SIZE - 1, drop_at: 3 });
        if (index % 2 === 0) await outrunTheLog(client);
        if (index % 3 === 0) await client.resume(`${client.cursors.at(-1)}-edited`);
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

/** More events than the log keeps while the client is away: its cursor falls below the floor and is refused. */
async function outrunTheLog(client: DemoClient): Promise<void> {
  await client.call('work', { steps: LOG_SIZE * 2, drop_at: 3 }, REFUSED_CALL_TIMEOUT_MS).catch(() => undefined);
}
