// #region sdk-v1-server
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createTidemark, guardResume, SessionEventLog } from '@tidemark/mcp';

const tidemark = createTidemark({ url: process.env['TIDEMARK_URL'] ?? 'http://127.0.0.1:4700', server: 'my-server' });
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents: 1000, maxBytes: 8 * 1024 * 1024, maxAgeMs: 10 * 60_000 });
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    eventStore: tidemark.eventStore(log, { sessionId }),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const mcp = new McpServer({ name: 'my-server', version: '1.0.0' });
  mcp.registerTool('hello', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
  await mcp.connect(transport);
  return transport;
}

const handler = guardResume(
  async (req, res) => {
    const token = req.headers['mcp-session-id'];
    const known = typeof token === 'string' ? sessions.get(token) : undefined;
    if (token !== undefined && known === undefined) return res.writeHead(404).end();
    return (known ?? (await openSession())).handleRequest(req, res);
  },
  { tidemark, refusal: 'auto' },
);

const server = createServer(handler).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  process.stdout.write(`listening: ${JSON.stringify(server.address())}\n`);
});

process.once('SIGTERM', async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  await tidemark.close();
});
// #endregion
