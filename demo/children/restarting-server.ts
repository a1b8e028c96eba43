import { createTidemark, guardResume } from '@/packages/mcp/src/index';
import { listenOnLoopback } from '../servers/mcp-server';
import { NumberedRingStore } from '../servers/numbered-ring-store';
import { postMessage, restoreSession, toolCall } from '../servers/restore-session';
import { v1Endpoint } from '../servers/sdk-v1-server';

/** A session that outlives the process that began it. */
export interface KeptSession {
  readonly sessionId: string;
  readonly client: { readonly name: string; readonly version: string };
}

/**
 * One life of a server that keeps its sessions over a restart but numbers their events from 1 again. Its parent
 * gives it, by environment, the sessions of the life before and that life's generation.
 */
const env = process.env;
const generation = env['DEMO_GENERATION'] ?? 'life-1';
const restoredFrom = env['DEMO_RESTORED_FROM'];
const tidemark = createTidemark({
  recording: 'everything',
  url: env['DEMO_TIDEMARK_URL'] ?? 'http://127.0.0.1:4700',
  server: env['DEMO_SERVER'] ?? 'calendar',
  node: env['DEMO_NODE'] ?? 'calendar-1',
  generation,
  ...(env['DEMO_KEY'] === undefined ? {} : { key: env['DEMO_KEY'] }),
});
const endpoint = v1Endpoint({
  retryMs: 400,
  openStore: (sessionId, isRestored) => {
    const ring = new NumberedRingStore(200);
    const isRetained = (id: string) => ring.has(id);
    return tidemark.eventStore(ring, { sessionId, isRetained, ...(isRestored && restoredFrom !== undefined ? { restoredFrom } : {}) });
  },
  wrap: (handler) => guardResume(handler, { tidemark, enforce: env['DEMO_GUARD'] === 'on' }),
});

const sessions = JSON.parse(env['DEMO_SESSIONS'] ?? '[]') as KeptSession[];
if (sessions.length > 0) {
  // Sessions are taken over before the public port opens, so that no client meets a server that forgot it.
  const backstage = await listenOnLoopback(endpoint.handler);
  for (const { sessionId, client } of sessions) {
    await restoreSession(backstage.url, sessionId, client);
    await postMessage(backstage.url, sessionId, toolCall(1, 'announce', { count: 12, drop: false }));
  }
  await backstage.close();
}
const running = await listenOnLoopback(endpoint.handler, Number(env['DEMO_PORT'] ?? 0));
console.log(`listening on ${running.port}`);

process.once('SIGTERM', async () => {
  await endpoint.close();
  await running.close();
  await tidemark.close();
  process.exit(0);
});
