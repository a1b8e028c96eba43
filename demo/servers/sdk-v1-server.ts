import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { answerError, type HttpHandler, listenOnLoopback, RETRY_MS, type RunningServer, restoredHeader, sessionHeader } from './mcp-server';

export interface V1Options {
  /** Opens the store of a session that begins, or that is taken over after a restart. */
  readonly openStore: (sessionId: string, isRestored: boolean) => EventStore;
  /** Puts a guard around the endpoint. */
  readonly wrap?: (handler: HttpHandler) => HttpHandler;
  readonly onSessionClosed?: (sessionId: string) => void;
  readonly port?: number;
  /** Milliseconds that a client is told to wait before it comes back. */
  readonly retryMs?: number;
}

/** An MCP server on the official SDK 1.x whose tools drop their own streams, so that clients must resume. */
export async function startV1Server(options: V1Options): Promise<RunningServer> {
  const endpoint = v1Endpoint(options);
  const running = await listenOnLoopback(endpoint.handler, options.port);
  return {
    ...running,
    close: async () => {
      await endpoint.close();
      await running.close();
    },
  };
}

/** The same without a listening socket. */
export function v1Endpoint(options: V1Options): { readonly handler: HttpHandler; close(): Promise<void> } {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const open = async (sessionId: string, isRestored: boolean) => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: options.openStore(sessionId, isRestored),
      retryInterval: options.retryMs ?? RETRY_MS,
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
    const restored = restoredHeader(req);
    await (transport ?? (await open(restored ?? randomUUID(), restored !== undefined))).handleRequest(req, res);
  };
  return {
    handler: options.wrap?.(handler) ?? handler,
    close: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

function toolServer(transport: StreamableHTTPServerTransport): McpServer {
  const server = new McpServer({ name: 'demo-v1', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool(
    'work',
    {
      description: 'Logs its steps; drops its own stream before step `drop_at`.',
      inputSchema: { steps: z.number().int(), drop_at: z.number().int() },
    },
    async ({ steps, drop_at }, extra) => {
      for (let step = 1; step <= steps; step++) {
        if (step === drop_at) extra.closeSSEStream?.();
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: `step ${step}` } });
      }
      return { content: [{ type: 'text', text: `${steps} steps` }] };
    },
  );
  server.registerTool(
    'announce',
    {
      description: 'Sends messages on the standalone stream; may drop it first.',
      inputSchema: { count: z.number().int(), drop: z.boolean() },
    },
    async ({ count, drop }) => {
      if (drop) transport.closeStandaloneSSEStream();
      for (let n = 1; n <= count; n++) await server.sendLoggingMessage({ level: 'info', data: `news ${n}` });
      return { content: [{ type: 'text', text: `${count} announced` }] };
    },
  );
  return server;
}
