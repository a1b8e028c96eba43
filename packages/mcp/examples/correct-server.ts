import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
// #region correct-server
import { createTidemark, guardResume, SessionEventLog } from '@tidemark/mcp';

const tidemark = createTidemark({ url: 'http://127.0.0.1:4700', server: 'my-server' });
const transports = new Map<string, NodeStreamableHTTPServerTransport>();

async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents: 1000, maxBytes: 8 * 1024 * 1024, maxAgeMs: 10 * 60_000 });
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    eventStore: tidemark.eventStore(log, { sessionId }),
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  await new McpServer({ name: 'my-server', version: '1.0.0' }).connect(transport);
  return transport;
}

const handler = guardResume(
  async (req: IncomingMessage, res: ServerResponse) => {
    const token = req.headers['mcp-session-id'];
    const known = typeof token === 'string' ? transports.get(token) : undefined;
    if (token !== undefined && known === undefined) return res.writeHead(404).end();
    return (known ?? (await openSession())).handleRequest(req, res);
  },
  { tidemark },
);

export const server = createServer(handler).listen(3000, '127.0.0.1');
// #endregion
