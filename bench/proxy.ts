/**
 * The enforcing proxy against direct, nginx, a bare node:http pipe and http-proxy-3, in one run. CPU time of the
 * proxy process per event is the honest figure: client and upstream share the other core. Prints ratios.
 *
 * Run: npx tsx bench/proxy.ts [--quick]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? 1 : 3;
const PACED_MS = isQuick ? 3000 : 8000;
const BURST_EVENTS = isQuick ? 50_000 : 300_000;
const KINDS = ['direct', 'nginx', 'pipe', 'tidemark', 'tidemark-retain', 'http-proxy-3'] as const;
type Kind = (typeof KINDS)[number];
const TICKS_PER_SECOND = 100;

interface Running {
  readonly port: number;
  readonly pids: number[];
  readonly stop: () => void;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
}

/** The child runs on the given core where the system can pin it. */
async function spawnTs(file: string, args: string[], core: number): Promise<ChildProcess> {
  const child = spawn('taskset', ['-c', String(core), process.execPath, '--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child);
  return child;
}

async function startNginx(upstreamPort: number): Promise<Running> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log; worker_rlimit_nofile 65536;
events { worker_connections 30000; }
http { access_log off; client_body_temp_path ${dir}/a; proxy_temp_path ${dir}/b; fastcgi_temp_path ${dir}/c; uwsgi_temp_path ${dir}/d; scgi_temp_path ${dir}/e;
upstream u { server 127.0.0.1:${upstreamPort}; keepalive 512; }
server { listen 127.0.0.1:${port} backlog=20000; location /proxy/r { proxy_pass http://u/mcp; proxy_buffering off; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_read_timeout 1h; } } }`,
  );
  const child = spawn('taskset', ['-c', '1', 'nginx', '-c', join(dir, 'nginx.conf'), '-p', dir], { stdio: 'inherit' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const workers = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)])
    .toString()
    .trim()
    .split(/\s+/)
    .map(Number);
  return { port, pids: workers, stop: () => void child.kill('SIGTERM') };
}

async function start(kind: Kind, upstreamPort: number): Promise<Running> {
  if (kind === 'direct') return { port: upstreamPort, pids: [], stop: () => undefined };
  if (kind === 'nginx') return startNginx(upstreamPort);
  const port = await freePort();
  const child = await spawnTs('bench/proxy/candidate.ts', [kind, String(port), String(upstreamPort)], 1);
  return { port, pids: [child.pid ?? 0], stop: () => void child.kill('SIGKILL') };
}

/** CPU time of processes so far, in microseconds. */
function cpuUs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const fields = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    }
  }
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

const rssKb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function send(port: number, path: string, method: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { accept: 'application/json, text/event-stream', ...headers }, agent },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const pathOf = (kind: Kind) => (kind === 'direct' ? '/mcp' : '/proxy/r');

async function session(kind: Kind, port: number): Promise<Record<string, string>> {
  const body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}';
  const response = await send(
    port,
    pathOf(kind),
    'POST',
    { 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  );
  response.resume();
  await new Promise((resolve) => response.once('end', resolve));
  return { 'mcp-session-id': String(response.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const quantile = (values: number[], q: number): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;

interface Paced {
  cpuPerEvent: number;
  p50: number;
  p99: number;
  events: number;
}

async function paced(kind: Kind, running: Running, streams: number, rate: number): Promise<Paced> {
  const latencies: number[] = [];
  let events = 0;
  let isMeasuring = false;
  const open: IncomingMessage[] = [];
  for (let i = 0; i < streams; i++) {
    const response = await send(running.port, `${pathOf(kind)}?rate=${rate}`, 'GET', await session(kind, running.port));
    response.on('error', () => undefined);
    response.on('data', (chunk: Buffer) => {
      if (!isMeasuring) return;
      const now = performance.timeOrigin + performance.now();
      const text = chunk.toString('latin1');
      for (let at = text.indexOf('"t":'); at !== -1; at = text.indexOf('"t":', at + 1)) {
        events++;
        latencies.push(now - Number.parseFloat(text.slice(at + 4, at + 24)));
      }
    });
    open.push(response);
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  isMeasuring = true;
  const before = cpuUs(running.pids);
  await new Promise((resolve) => setTimeout(resolve, PACED_MS));
  isMeasuring = false;
  const cpu = cpuUs(running.pids) - before;
  for (const response of open) response.destroy();
  return { cpuPerEvent: cpu / events, p50: quantile(latencies, 0.5) * 1000, p99: quantile(latencies, 0.99) * 1000, events };
}

async function burst(kind: Kind, running: Running, streams: number): Promise<number> {
  const each = Math.floor(BURST_EVENTS / streams);
  const sessions: Record<string, string>[] = [];
  for (let i = 0; i < streams; i++) sessions.push(await session(kind, running.port));
  const before = cpuUs(running.pids);
  await Promise.all(
    sessions.map(async (headers) => {
      const response = await send(running.port, `${pathOf(kind)}?total=${each}`, 'GET', headers);
      response.resume();
      await new Promise((resolve, reject) => response.once('end', resolve).once('error', reject));
    }),
  );
  return (cpuUs(running.pids) - before) / (each * streams);
}

async function posts(kind: Kind, running: Running): Promise<{ perSecond: number; cpu: number }> {
  const headers = { ...(await session(kind, running.port)), 'content-type': 'application/json' };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
  const until = Date.now() + (isQuick ? 2000 : 4000);
  let count = 0;
  const before = cpuUs(running.pids);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (Date.now() < until) {
        const response = await send(running.port, pathOf(kind), 'POST', { ...headers, 'content-length': String(body.length) }, body);
        response.resume();
        await new Promise((resolve) => response.once('end', resolve));
        count++;
      }
    }),
  );
  return { perSecond: (count / (performance.now() - started)) * 1000, cpu: (cpuUs(running.pids) - before) / count };
}

async function idle(upstreamPort: number, kind: Kind, streams: number): Promise<{ held: number; kb: number }> {
  const running = await start(kind, upstreamPort);
  const [pid = 0] = running.pids;
  await session(kind, running.port);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const before = rssKb(pid);
  const open: IncomingMessage[] = [];
  for (let i = 0; i < streams; i += 50) {
    const batch = Array.from({ length: 50 }, async () => send(running.port, pathOf(kind), 'GET', await session(kind, running.port)));
    open.push(...(await Promise.all(batch)));
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const kb = (rssKb(pid) - before) / streams;
  const held = open.filter((response) => response.statusCode === 200 && !response.destroyed).length;
  for (const response of open) response.destroy();
  running.stop();
  return { held, kb };
}

interface Row {
  paced: Paced[];
  l1: number[];
  l1000: number[];
  burst1: number[];
  burst100: number[];
  posts: number[];
  postCpu: number[];
}

const rows = new Map<Kind, Row>(
  KINDS.map((kind) => [kind, { paced: [], l1: [], l1000: [], burst1: [], burst100: [], posts: [], postCpu: [] }]),
);
execFileSync('taskset', ['-cp', '0', String(process.pid)]);
const upstreamPort = await freePort();
const upstream = await spawnTs('bench/proxy/upstream.ts', [String(upstreamPort)], 0);
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of KINDS) {
      const row = rows.get(kind);
      if (row === undefined) continue;
      const running = await start(kind, upstreamPort);
      await burst(kind, running, 1);
      console.error(`round ${round + 1} ${kind}`);
      if (kind !== 'http-proxy-3') await measureStreams(kind, running, row);
      const { perSecond, cpu } = await posts(kind, running);
      row.posts.push(perSecond);
      row.postCpu.push(cpu);
      running.stop();
    }
  }
  report();
  for (const kind of ['pipe', 'tidemark', 'tidemark-retain'] as const) {
    const streams = isQuick ? 2000 : 10_000;
    const { held, kb } = await idle(upstreamPort, kind, streams);
    console.log(`idle ${kind}: ${held} of ${streams} streams held, ${kb.toFixed(1)} KB of RSS each`);
  }
} finally {
  upstream.kill('SIGKILL');
}

/** http-proxy-3 is compared by its POSTs alone: it keeps upstream streams of clients that left, which stalls a run. */
async function measureStreams(kind: Kind, running: Running, row: Row): Promise<void> {
  await burst(kind, running, 1);
  row.burst1.push(await burst(kind, running, 1));
  row.burst100.push(await burst(kind, running, 100));
  row.paced.push(await paced(kind, running, 100, 50));
  row.l1.push((await paced(kind, running, 1, 100)).p50);
  row.l1000.push((await paced(kind, running, 1000, 2)).p50);
}

function report(): void {
  console.log(`${cpus().length} cores, Node ${process.version}, ${ROUNDS} rounds, medians; CPU in us per event of the proxy process`);
  console.log('kind              paced100  burst1  burst100  added p50 us 1/100/1000   p99 us  POST/s  POST us');
  const of = (kind: Kind) => {
    const row = rows.get(kind);
    if (row === undefined) throw new Error(kind);
    return {
      paced: median(row.paced.map((one) => one.cpuPerEvent)),
      p50: [median(row.l1), median(row.paced.map((one) => one.p50)), median(row.l1000)],
      p99: median(row.paced.map((one) => one.p99)),
      burst1: median(row.burst1),
      burst100: median(row.burst100),
      posts: median(row.posts),
      postCpu: median(row.postCpu),
    };
  };
  const direct = of('direct');
  const added = (kind: Kind) => of(kind).p50.map((p50, i) => p50 - (direct.p50[i] ?? 0));
  for (const kind of KINDS) {
    const row = of(kind);
    const latency = kind === 'direct' ? row.p50 : added(kind);
    console.log(
      `${kind.padEnd(18)}${row.paced.toFixed(1).padStart(7)}${row.burst1.toFixed(2).padStart(9)}${row.burst100.toFixed(2).padStart(10)}   ${latency.map((one) => one.toFixed(0).padStart(6)).join('')}${row.p99.toFixed(0).padStart(14)}${row.posts.toFixed(0).padStart(8)}${row.postCpu.toFixed(0).padStart(8)}`,
    );
  }
  const pipe = of('pipe');
  const ratio = (name: string, value: number, limit: string) => console.log(`ratio ${name}: ${value.toFixed(2)} (limit ${limit})`);
  const own = of('tidemark');
  const retain = of('tidemark-retain');
  ratio('CPU paced, of pipe', own.paced / pipe.paced, '≤ 1.0');
  ratio('CPU burst 1 stream, of pipe', own.burst1 / pipe.burst1, '≤ 1.0');
  ratio('CPU burst 100 streams, of pipe', own.burst100 / pipe.burst100, '≤ 1.0');
  ratio('CPU paced, of nginx', own.paced / of('nginx').paced, '≤ 2.4');
  ratio('CPU paced with retention, of pipe', retain.paced / pipe.paced, '≤ 1.3');
  ratio('CPU burst 100 with retention, of pipe', retain.burst100 / pipe.burst100, '≤ 1.3');
  for (const [i, streams] of [1, 100, 1000].entries())
    ratio(`added p50 at ${streams} streams, of pipe`, (added('tidemark')[i] ?? 0) / (added('pipe')[i] ?? 1), '≤ 1.5');
  ratio('POSTs/s, of pipe', own.posts / pipe.posts, '≥ 0.9');
  ratio('POSTs/s, of http-proxy-3', own.posts / of('http-proxy-3').posts, '≥ 2');
}
