import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { EventLog, type RunningServer, SessionMap, type SessionTransport, serve } from '@/tests/proxy/real-servers';
import type { Line } from '@/tests/proxy/sdk-clients';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

/** A server of the SDK with one tool that says its steps, and what became of its calls. */
export interface DutyServer extends RunningServer {
  /** Signals of the calls that ran, by which the SDK says that one was cancelled. */
  readonly runs: AbortSignal[];
  /** Calls that came to their end. */
  readonly done: () => number;
  /** How many steps the calls that hold may take. */
  readonly allow: (steps: number) => void;
}

const ARGS = { steps: z.number().int(), hold: z.boolean().optional(), pad: z.number().int().optional(), name: z.string().optional() };

interface StepsArgs {
  readonly steps: number;
  readonly hold?: boolean | undefined;
  readonly pad?: number | undefined;
  readonly name?: string | undefined;
}

class Desk {
  readonly runs: AbortSignal[] = [];
  done = 0;
  allowed = 0;

  /** Says a step at a time; one that holds takes a further step only once it is allowed to. */
  work = async ({ steps, hold, pad, name = 'step' }: StepsArgs, say: (data: string) => Promise<void>, signal: AbortSignal) => {
    this.runs.push(signal);
    for (let step = 1; step <= steps && !signal.aborted; step++) {
      if (hold) await until(() => this.allowed >= step || signal.aborted);
      await say(`${name} ${step}${'.'.repeat(pad ?? 0)}`);
    }
    this.done++;
    return { content: [{ type: 'text' as const, text: `${steps} steps` }] };
  };
}

const said = (data: string) => ({ method: 'notifications/message' as const, params: { level: 'info' as const, data } });
const asDuty = (running: RunningServer, desk: Desk): DutyServer => ({
  ...running,
  runs: desk.runs,
  done: () => desk.done,
  allow: (steps) => {
    desk.allowed = steps;
  },
});

interface DutyOptions {
  /** Answers requests by JSON instead of a stream. */
  readonly isJson?: boolean;
}

/** A server of that line with sessions and an event store. */
export async function dutyServer(line: Line, { isJson = false }: DutyOptions = {}): Promise<DutyServer> {
  const desk = new Desk();
  const connectOne = async (onInitialized: (id: string, transport: SessionTransport) => void): Promise<SessionTransport> => {
    const settings = {
      sessionIdGenerator: () => randomUUID(),
      eventStore: new EventLog() as never,
      retryInterval: 50,
      // A thousand times as often as by default: what keeps a stream alive comes between all else.
      keepAliveMs: 15,
      enableJsonResponse: isJson,
      onsessioninitialized: (id: string) => onInitialized(id, transport as unknown as SessionTransport),
    };
    const transport: StreamableHTTPServerTransport | NodeStreamableHTTPServerTransport =
      line === 'v1' ? new StreamableHTTPServerTransport(settings) : new NodeStreamableHTTPServerTransport(settings);
    await (line === 'v1' ? toolsV1(desk) : toolsV2(desk)).connect(transport as never);
    return transport as unknown as SessionTransport;
  };
  return asDuty(await serve(new SessionMap(connectOne)), desk);
}

/** A v2 server of revision 2026-07-28, which has no sessions. */
export async function modernServer(): Promise<DutyServer> {
  const desk = new Desk();
  const handle = toNodeHandler(createMcpHandler(() => toolsV2(desk)));
  const server = createServer((req, res) => void handle(req as never, res));
  const port = await listen(server);
  return asDuty({ url: `http://127.0.0.1:${port}/mcp`, stop: () => stopServer(server) }, desk);
}

function toolsV1(desk: Desk): McpServer {
  const mcp = new McpServer({ name: 'duty', version: '0' }, { capabilities: { logging: {} } });
  mcp.registerTool('steps', { description: 'says its steps', inputSchema: ARGS }, (args, { sendNotification, signal }) =>
    desk.work(args, (data) => sendNotification(said(data)), signal),
  );
  return mcp;
}

function toolsV2(desk: Desk): McpServerV2 {
  const mcp = new McpServerV2({ name: 'duty', version: '0' }, { capabilities: { logging: {} } });
  mcp.registerTool('steps', { description: 'says its steps', inputSchema: z.object(ARGS) }, (args, { mcpReq }) =>
    desk.work(args, (data) => mcpReq.notify(said(data)), mcpReq.signal),
  );
  return mcp;
}
