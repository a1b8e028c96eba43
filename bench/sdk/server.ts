/**
 * A server on the official SDK with a bounded session log, bare or instrumented. It tells its port and answers
 * `cpu` with the microseconds of CPU time that it has used. Run as a child: server.ts LINE MODE SINK. The package
 * must be built.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import type { Tidemark } from '@tidemark/mcp';
import { z } from 'zod';

// The package as it is published: what runs this file compiles the sources in another way.
const { createTidemark, eventStoreOf, guardResume, SessionEventLog }: typeof import('@tidemark/mcp') = await import(
  new URL('../../packages/mcp/dist/index.js', import.meta.url).href
);

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;
type Transport = StreamableHTTPServerTransport | NodeStreamableHTTPServerTransport;

const [line, mode, sink = ''] = process.argv.slice(2);
const PAYLOAD = 'x'.repeat(200);

const tidemark: Tidemark | null = mode === 'bare' ? null : createTidemark({ url: sink, server: 'bench', ...optionsOf(mode) });
const transports = new Map<string, Transport>();

function optionsOf(name: string | undefined) {
  if (name === 'everything') return { recording: 'everything' as const };
  return name === 'websocket' ? { transport: 'websocket' as const } : {};
}

async function open(): Promise<Transport> {
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents: 500 });
  const options = {
    sessionIdGenerator: () => sessionId,
    eventStore: tidemark === null ? eventStoreOf(log) : tidemark.eventStore(log, { sessionId }),
    onsessioninitialized: (id: string) => void transports.set(id, transport),
  };
  const transport: Transport =
    line === 'v1' ? new StreamableHTTPServerTransport(options as never) : new NodeStreamableHTTPServerTransport(options as never);
  if (line === 'v1') await serverV1().connect(transport as never);
  else await serverV2().connect(transport as never);
  return transport;
}

function serverV1(): McpServerV1 {
  const server = new McpServerV1({ name: 'bench', version: '1' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text: `${text} ${PAYLOAD}` }],
  }));
  return server;
}

function serverV2(): McpServerV2 {
  const server = new McpServerV2({ name: 'bench', version: '1' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text: `${text} ${PAYLOAD}` }],
  }));
  return server;
}

const answer: Handler = async (req, res) => {
  const token = req.headers['mcp-session-id'];
  const known = typeof token === 'string' ? transports.get(token) : undefined;
  await (known ?? (await open())).handleRequest(req, res);
};

const server = createServer(tidemark === null ? answer : guardResume(answer, { tidemark }));
// A server that waits for its turn keeps its connections.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, stats: tidemark?.stats ?? null });
});
process.once('disconnect', () => process.exit(0));
