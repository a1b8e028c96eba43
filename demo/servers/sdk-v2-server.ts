import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { type EventStore, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerError, type HttpHandler, listenOnLoopback, RETRY_MS, type RunningServer, sessionHeader } from './mcp-server';

export interface V2Options {
  readonly openStore: (sessionId: string) => EventStore;
  readonly wrap?: (handler: HttpHandler) => HttpHandler;
  readonly onSessionClosed?: (sessionId: string) => void;
  readonly port?: number;
}

/** The same server on the official SDK 2.x. */
export async function startV2Server(options: V2Options): Promise<RunningServer> {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  const open = async (sessionId: string) => {
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: options.openStore(sessionId),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        transports.set(id, transport);
      },
      onsessionclosed: (id) => {
        transports.delete(id);
        options.onSessionClosed?.(id);
      },
    });
    await toolServer(transport).connect(transport);
    return transport;
  };
  const handler: HttpHandler = async (req, res) => {
    const token = sessionHeader(req);
    const transport = token === undefined ? undefined : transports.get(token);
    if (token !== undefined && transport === undefined) return answerError(res, 404, -32001, 'Session not found');
    await (transport ?? (await open(randomUUID()))).handleRequest(req, res);
  };
  const running = await listenOnLoopback(options.wrap?.(handler) ?? handler, options.port);
  return {
    ...running,
    close: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
      await running.close();
    },
  };
}

function toolServer(transport: NodeStreamableHTTPServerTransport): McpServer {
  const server = new McpServer({ name: 'demo-v2', version: '2.0.0' }, { capabilities: { logging: {} } });
  server.registerTool(
    'work',
    {
      description: 'Logs its steps; drops its own stream before step `drop_at`.',
      inputSchema: z.object({ steps: z.number().int(), drop_at: z.number().int() }),
    },
    async ({ steps, drop_at }, context) => {
      for (let step = 1; step <= steps; step++) {
        if (step === drop_at) context.http?.closeSSE?.();
        await context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: `step ${step}` } });
      }
      return { content: [{ type: 'text', text: `${steps} steps` }] };
    },
  );
  server.registerTool(
    'announce',
    {
      description: 'Sends messages on the standalone stream; may drop it first.',
      inputSchema: z.object({ count: z.number().int(), drop: z.boolean() }),
    },
    async ({ count, drop }) => {
      if (drop) transport.closeStandaloneSSEStream();
      for (let n = 1; n <= count; n++) await server.server.sendLoggingMessage({ level: 'info', data: `news ${n}` });
      return { content: [{ type: 'text', text: `${count} announced` }] };
    },
  );
  return server;
}
