import { randomUUID } from 'node:crypto';
import type { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
// #region three-lines
import { createTidemark, guardResume } from '@tidemark/mcp';

const tidemark = createTidemark({ url: 'http://127.0.0.1:4700', server: 'my-server' });

/** `store` is the event store that you have: SDK 1.x or 2.x. */
function watched(store: EventStore, sessionId: string): EventStore {
  return tidemark.eventStore(store, { sessionId });
}

/** `handler` is the handler that you have, for POST, GET and DELETE alike. */
export const guarded = (handler: Parameters<typeof createServer>[1] & object) => guardResume(handler, { tidemark });
// #endregion

/** A transport whose store is watched. */
export async function openSession(store: EventStore): Promise<StreamableHTTPServerTransport> {
  const sessionId = randomUUID();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => sessionId, eventStore: watched(store, sessionId) });
  await new McpServer({ name: 'my-server', version: '1.0.0' }).connect(transport);
  return transport;
}
