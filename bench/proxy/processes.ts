import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export const KINDS = ['direct', 'nginx', 'pipe', 'tidemark', 'tidemark-retain', 'http-proxy-3'] as const;
export type Kind = (typeof KINDS)[number];

export interface Running {
  readonly kind: Kind;
  readonly port: number;
  readonly pids: readonly number[];
  readonly stop: () => void;
}

/** Core of the load and the upstream, and core of the proxy under test. */
const LOAD_CORE = 0;
const PROXY_CORE = 1;
/** What `npm start` and `npm run proxy` give their process; every Node candidate gets the same. */
const NODE_FLAGS = ['--max-semi-space-size=64'];

export function pinLoad(): void {
  execFileSync('taskset', ['-cp', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Bundles a program as the server itself is bundled for `npm start`, so that what is measured is what runs. */
async function bundled(name: 'candidate' | 'upstream'): Promise<string> {
  const outfile = `node_modules/.cache/tidemark-bench/proxy-${name}.mjs`;
  await build({
    entryPoints: [`bench/proxy/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
  });
  return outfile;
}

async function spawnNode(name: 'candidate' | 'upstream', args: string[], core: number): Promise<ChildProcess> {
  const profile = process.env['BENCH_PROFILE_DIR'];
  const flags = profile === undefined || core === LOAD_CORE ? NODE_FLAGS : [...NODE_FLAGS, '--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn('taskset', ['-c', String(core), process.execPath, ...flags, await bundled(name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the ${name} ended with ${code}`)));
  });
  return child;
}

export async function startUpstream(): Promise<Running> {
  const port = await freePort();
  const child = await spawnNode('upstream', [String(port)], LOAD_CORE);
  return { kind: 'direct', port, pids: [child.pid ?? 0], stop: () => void child.kill('SIGTERM') };
}

/** One of several processes of the enforcing proxy that share the session logs of a Redis. */
export async function startReplica(upstreamPort: number, redisUrl: string): Promise<Running> {
  const port = await freePort();
  const child = await spawnNode('candidate', ['tidemark', String(port), String(upstreamPort), redisUrl], PROXY_CORE);
  return { kind: 'tidemark', port, pids: [child.pid ?? 0], stop: () => void child.kill('SIGTERM') };
}

export async function startProxy(kind: Kind, upstreamPort: number): Promise<Running> {
  if (kind === 'direct') return { kind, port: upstreamPort, pids: [], stop: () => undefined };
  if (kind === 'nginx') return startNginx(upstreamPort);
  const port = await freePort();
  const child = await spawnNode('candidate', [kind, String(port), String(upstreamPort)], PROXY_CORE);
  return { kind, port, pids: [child.pid ?? 0], stop: () => void child.kill('SIGTERM') };
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
  const child = spawn('taskset', ['-c', String(PROXY_CORE), 'nginx', '-c', join(dir, 'nginx.conf'), '-p', dir], { stdio: 'inherit' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const workers = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)])
    .toString()
    .trim()
    .split(/\s+/)
    .map(Number);
  return { kind: 'nginx', port, pids: workers, stop: () => void child.kill('SIGTERM') };
}

/** CPU time of processes so far, all threads, in microseconds (the scheduler's own nanoseconds, not clock ticks). */
export function cpuUs(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return nanoseconds / 1000;
}

/** Resident memory of a process, in KB. */
export const residentKb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** How many files the system lets a process open; Node raises its own limit to that by itself. */
export const openFilesMax = (): number => Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
