import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { freePort } from '@/demo/children/free-port';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

export interface RunningServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const require = createRequire(import.meta.url);
const LOOPBACK = fileURLToPath(new URL('./loopback.cjs', import.meta.url));

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function spawnServer(args: string[], port: number, path: string): Promise<RunningServer> {
  const child: ChildProcess = spawn(process.execPath, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  await until(() => canConnect(port));
  return {
    url: `http://127.0.0.1:${port}${path}`,
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const binOf = (name: string, file: string): string => require.resolve(`${name}/package.json`).replace(/package\.json$/, file);

/** The reference server over HTTP, whose event store is wrong in many ways. */
export async function serverEverything(port?: number): Promise<RunningServer> {
  const at = port ?? (await freePort());
  return spawnServer(
    ['--require', LOOPBACK, binOf('@modelcontextprotocol/server-everything', 'dist/index.js'), 'streamableHttp'],
    at,
    '/mcp',
  );
}

/** The same server over stdio behind mcp-proxy, which keeps a correct event store. */
export async function mcpProxyOverStdio(): Promise<RunningServer> {
  const port = await freePort();
  const everything = binOf('@modelcontextprotocol/server-everything', 'dist/index.js');
  const args = [
    binOf('mcp-proxy', 'dist/bin/mcp-proxy.mjs'),
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--server',
    'stream',
    '--',
    process.execPath,
    everything,
    'stdio',
  ];
  return spawnServer(args, port, '/mcp');
}

interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly message: unknown;
}

/** A small correct event store: insertion order, one stream at a time, unknown ids refused. */
export class EventLog {
  /** How often somebody came back with a cursor. */
  replays = 0;
  private readonly events: StoredEvent[] = [];

  async storeEvent(stream: string, message: unknown): Promise<string> {
    const id = `${randomUUID()}`;
    this.events.push({ id, stream, message });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(lastEventId: string, { send }: { send: (id: string, message: never) => Promise<void> }): Promise<string> {
    this.replays++;
    const index = this.events.findIndex((event) => event.id === lastEventId);
    const stream = this.events[index]?.stream ?? '';
    for (const event of this.events.slice(index + 1)) {
      if (event.stream === stream && event.message !== null && Object.keys(event.message as object).length > 0)
        await send(event.id, event.message as never);
    }
    return stream;
  }
}

export interface Sessions {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

export interface SessionTransport {
  sessionId?: string | undefined;
  handleRequest(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

export class SessionMap implements Sessions {
  private readonly transports = new Map<string, SessionTransport>();

  constructor(private readonly connect: (onInitialized: (id: string, transport: SessionTransport) => void) => Promise<SessionTransport>) {}

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = req.headers['mcp-session-id'];
    const known = typeof token === 'string' ? this.transports.get(token) : undefined;
    if (typeof token === 'string' && known === undefined) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
      return;
    }
    const transport = known ?? (await this.connect((id, one) => this.transports.set(id, one)));
    await transport.handleRequest(req, res);
  }
}

export async function serve(sessions: Sessions): Promise<RunningServer> {
  const server = createServer((req, res) => {
    sessions.handle(req, res).catch(() => res.destroy());
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => stopServer(server) };
}

/** A v1 SDK server with a correct event store. Its tool `poll` closes its own stream and answers once somebody came back for it. */
export function sdkServerV1(retryMs = 100): Promise<RunningServer> {
  const connectOne = async (onInitialized: (id: string, transport: SessionTransport) => void): Promise<SessionTransport> => {
    const store = new EventLog();
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: store as never,
      retryInterval: retryMs,
      onsessioninitialized: (id) => onInitialized(id, transport as SessionTransport),
    });
    const mcp = new McpServer({ name: 'v1', version: '0' }, { capabilities: { logging: {} } });
    mcp.registerTool('poll', { description: 'closes its stream' }, async (extra) => {
      extra.closeSSEStream?.();
      await until(() => store.replays > 0);
      return { content: [{ type: 'text', text: 'polled' }] };
    });
    await mcp.connect(transport as never);
    return transport as SessionTransport;
  };
  return serve(new SessionMap(connectOne));
}

/** A v2 SDK server with the same event store. */
export function sdkServerV2(retryMs = 100): Promise<RunningServer> {
  const connectOne = async (onInitialized: (id: string, transport: SessionTransport) => void): Promise<SessionTransport> => {
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: new EventLog() as never,
      retryInterval: retryMs,
      onsessioninitialized: (id: string) => onInitialized(id, transport as unknown as SessionTransport),
    });
    const mcp = new McpServerV2({ name: 'v2', version: '0' }, { capabilities: { logging: {} } });
    mcp.registerTool('echo', { description: 'echoes', inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
      content: [{ type: 'text' as const, text }],
    }));
    await mcp.connect(transport as never);
    return transport as unknown as SessionTransport;
  };
  return serve(new SessionMap(connectOne));
}
