/**
 * What instrumentation costs a server: the same SDK server with the same session log, bare and instrumented, under
 * the same load in one run: tool calls over many sessions, each answered by an event stream. Rounds are short and
 * alternate bare, instrumented, instrumented, bare, so that a machine that slows down slows both; the ratio is the
 * median of those blocks. Prints requests per second, the 99th percentile and CPU time per request.
 *
 * Run: npm run bench:sdk [-- --quick] [-- --modes=flight,everything,websocket] [-- --lines=v1,v2]
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';

const isQuick = process.argv.includes('--quick');
const CONNECTIONS = 16;
const SESSIONS_PER_CONNECTION = 4;
/** Until logs and rings are full and give up for every event that comes. */
const WARM_UP_MS = isQuick ? 1500 : 4000;
const ROUND_MS = isQuick ? 500 : 1000;
const BLOCKS = isQuick ? 5 : 11;
const GOAL = 0.95;
const LINES = listed('lines', ['v1', 'v2']);
const MODES = listed('modes', ['flight', 'everything']);

function listed(name: string, otherwise: readonly string[]): readonly string[] {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given?.slice(name.length + 3).split(',') ?? otherwise;
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

interface Round {
  readonly requests: number;
  readonly ms: number;
  readonly latencies: readonly number[];
  readonly cpuUs: number;
}

async function start(file: string, args: readonly string[] = []): Promise<Server> {
  const child = fork(file, args, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu');
  const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }];
  return cpuUs;
}

interface Answer {
  readonly status: number;
  readonly token: string;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function post(port: number, token: string | null, message: unknown): Promise<Answer> {
  const body = JSON.stringify(message);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
    ...(token === null ? {} : { 'mcp-session-id': token, 'mcp-protocol-version': '2025-11-25' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, token: String(answer.headers['mcp-session-id'] ?? ''), text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function openSession(port: number): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { token } = await post(port, null, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await post(port, token, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return token;
}

async function round(server: Server, tokens: readonly (readonly string[])[], ms: number): Promise<Round> {
  const latencies: number[] = [];
  const cpuBefore = await cpuOf(server);
  const began = performance.now();
  const call = async (sessions: readonly string[]) => {
    for (let id = 1; performance.now() - began < ms; id++) {
      const sentAt = performance.now();
      const params = { name: 'echo', arguments: { text: `call ${id}` } };
      const { status, text } = await post(server.port, sessions[id % sessions.length] ?? null, {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params,
      });
      if (status !== 200 || !text.includes(`call ${id} `)) throw new Error(`a call was answered ${status}: ${text.slice(0, 200)}`);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(tokens.map(call));
  return { requests: latencies.length, ms: performance.now() - began, latencies, cpuUs: (await cpuOf(server)) - cpuBefore };
}

function summaryOf(rounds: readonly Round[]) {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, one) => total + of(one), 0);
  const latencies = rounds.flatMap((one) => one.latencies).toSorted((a, b) => a - b);
  return {
    rps: (sum((one) => one.requests) / sum((one) => one.ms)) * 1000,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    cpuUs: sum((one) => one.cpuUs) / sum((one) => one.requests),
  };
}

interface Ratios {
  readonly rps: number;
  readonly cpu: number;
}

function ratiosOf(bare: ReturnType<typeof summaryOf>, instrumented: ReturnType<typeof summaryOf>): Ratios {
  return { rps: instrumented.rps / bare.rps, cpu: instrumented.cpuUs / bare.cpuUs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function openSessions(port: number): Promise<string[][]> {
  const open = async () => {
    const tokens: string[] = [];
    for (let n = 0; n < SESSIONS_PER_CONNECTION; n++) tokens.push(await openSession(port));
    return tokens;
  };
  return Promise.all(Array.from({ length: CONNECTIONS }, open));
}

execFileSync('npm', ['run', 'build', '--silent', '--workspace', '@tidemark/mcp'], { stdio: 'inherit' });
const sink = await start('bench/sdk/sink.ts');
let isHeld = true;
for (const line of LINES) {
  for (const mode of MODES) {
    const servers = {
      bare: await start('bench/sdk/server.ts', [line, 'bare']),
      instrumented: await start('bench/sdk/server.ts', [line, mode, `http://127.0.0.1:${sink.port}`]),
    };
    const kinds = ['bare', 'instrumented'] as const;
    const tokens = { bare: await openSessions(servers.bare.port), instrumented: await openSessions(servers.instrumented.port) };
    const rounds = { bare: [] as Round[], instrumented: [] as Round[] };
    for (const kind of kinds) await round(servers[kind], tokens[kind], WARM_UP_MS);
    const blocks: Ratios[] = [];
    for (let block = 0; block < BLOCKS; block++) {
      const own = { bare: [] as Round[], instrumented: [] as Round[] };
      for (const kind of ['bare', 'instrumented', 'instrumented', 'bare'] as const) {
        own[kind].push(await round(servers[kind], tokens[kind], ROUND_MS));
      }
      blocks.push(ratiosOf(summaryOf(own.bare), summaryOf(own.instrumented)));
      for (const kind of kinds) rounds[kind].push(...own[kind]);
    }
    const [bare, instrumented] = [summaryOf(rounds.bare), summaryOf(rounds.instrumented)];
    const ratios = { rps: median(blocks.map(({ rps }) => rps)), cpu: median(blocks.map(({ cpu }) => cpu)) };
    if (mode === 'flight' && ratios.rps < GOAL) isHeld = false;
    const told = (kind: string, { rps, p99Ms, cpuUs }: typeof bare) =>
      `${kind} ${Math.round(rps)} requests/s, p99 ${p99Ms.toFixed(2)} ms, ${Math.round(cpuUs)} µs of CPU`;
    console.log(`SDK ${line}, ${mode}: ${told('bare', bare)}; ${told('instrumented', instrumented)}`);
    console.log(
      `SDK ${line}, ${mode}: requests/s ${ratios.rps.toFixed(3)} of bare, p99 ${(instrumented.p99Ms / bare.p99Ms).toFixed(2)}, CPU ${ratios.cpu.toFixed(3)}`,
    );
    for (const kind of kinds) servers[kind].child.disconnect();
  }
}
sink.child.disconnect();
agent.destroy();
console.log(
  `${availableParallelism()} cores, ${CONNECTIONS} connections, ${CONNECTIONS * SESSIONS_PER_CONNECTION} sessions; at least ${GOAL} of bare is required with the flight recorder: ${isHeld ? 'held' : 'not held'}`,
);
process.exitCode = isHeld ? 0 : 1;
