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
import { availableParallelism } from 'node:os';
import { Load } from './sdk/load';

const isQuick = process.argv.includes('--quick');
const CONNECTIONS = 16;
const SESSIONS_PER_CONNECTION = 4;
/** Until logs and rings are full and give up for every event that comes. */
const WARM_UP_MS = isQuick ? 1500 : 4000;
const ROUND_MS = isQuick ? 250 : 300;
const BLOCKS = isQuick ? 10 : 25;
const PAIRS = Number(listed('pairs', [isQuick ? '1' : '3'])[0]);
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

async function round(server: Server, load: Load, ms: number): Promise<Round> {
  const cpuBefore = await cpuOf(server);
  const began = performance.now();
  const latencies = await load.run(ms);
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

interface Measured {
  readonly bare: readonly Round[];
  readonly instrumented: readonly Round[];
  /** Of each block of four rounds. */
  readonly blocks: readonly Ratios[];
}

/** One server of each kind under the same load in turns. */
async function measurePair(line: string, mode: string, sinkUrl: string): Promise<Measured> {
  const servers = {
    bare: await start('bench/sdk/server.ts', [line, 'bare']),
    instrumented: await start('bench/sdk/server.ts', [line, mode, sinkUrl]),
  };
  const kinds = ['bare', 'instrumented'] as const;
  const open = (kind: (typeof kinds)[number]) => Load.open(servers[kind].port, CONNECTIONS, SESSIONS_PER_CONNECTION);
  const loads = { bare: await open('bare'), instrumented: await open('instrumented') };
  const rounds = { bare: [] as Round[], instrumented: [] as Round[] };
  for (const kind of kinds) await round(servers[kind], loads[kind], WARM_UP_MS);
  const blocks: Ratios[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const own = { bare: [] as Round[], instrumented: [] as Round[] };
    for (const kind of ['bare', 'instrumented', 'instrumented', 'bare'] as const) {
      own[kind].push(await round(servers[kind], loads[kind], ROUND_MS));
    }
    blocks.push(ratiosOf(summaryOf(own.bare), summaryOf(own.instrumented)));
    for (const kind of kinds) rounds[kind].push(...own[kind]);
  }
  for (const kind of kinds) {
    loads[kind].close();
    servers[kind].child.disconnect();
  }
  return { ...rounds, blocks };
}

/** Two processes of one program differ by what their compilers happened to see first, so several pairs are measured. */
async function measure(line: string, mode: string, sinkUrl: string): Promise<Measured> {
  const pairs: Measured[] = [];
  for (let pair = 0; pair < PAIRS; pair++) pairs.push(await measurePair(line, mode, sinkUrl));
  return {
    bare: pairs.flatMap(({ bare }) => bare),
    instrumented: pairs.flatMap(({ instrumented }) => instrumented),
    blocks: pairs.flatMap(({ blocks }) => blocks),
  };
}

function report(name: string, measured: Measured): Ratios {
  const [bare, instrumented] = [summaryOf(measured.bare), summaryOf(measured.instrumented)];
  const { blocks } = measured;
  const ratios = { rps: median(blocks.map(({ rps }) => rps)), cpu: median(blocks.map(({ cpu }) => cpu)) };
  const told = (kind: string, { rps, p99Ms, cpuUs }: typeof bare) =>
    `${kind} ${Math.round(rps)} requests/s, p99 ${p99Ms.toFixed(2)} ms, ${Math.round(cpuUs)} µs of CPU`;
  console.log(`${name}: ${told('bare', bare)}; ${told('instrumented', instrumented)}`);
  console.log(
    `${name}: requests/s ${ratios.rps.toFixed(3)} of bare, p99 ${(instrumented.p99Ms / bare.p99Ms).toFixed(2)}, CPU ${ratios.cpu.toFixed(3)} (${blocks.map(({ cpu }) => cpu.toFixed(2)).join(' ')})`,
  );
  return ratios;
}

execFileSync('npm', ['run', 'build', '--silent', '--workspace', '@tidemark/mcp'], { stdio: 'inherit' });
const sink = await start('bench/sdk/sink.ts');
let isHeld = true;
for (const line of LINES) {
  for (const mode of MODES) {
    const ratios = report(`SDK ${line}, ${mode}`, await measure(line, mode, `http://127.0.0.1:${sink.port}`));
    if (mode === 'flight' && ratios.rps < GOAL) isHeld = false;
  }
}
sink.child.disconnect();
console.log(
  `${availableParallelism()} cores, ${CONNECTIONS} connections, ${CONNECTIONS * SESSIONS_PER_CONNECTION} sessions; at least ${GOAL} of bare is required with the flight recorder: ${isHeld ? 'held' : 'not held'}`,
);
process.exitCode = isHeld ? 0 : 1;
