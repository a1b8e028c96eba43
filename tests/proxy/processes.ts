import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@/demo/children/free-port';
import { until } from '@/tests/proxy/start-proxy';

/** A process of its own that a test starts, kills as a crash would, and starts again at the same address. */
export interface ServerProcess {
  readonly origin: string;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Stops the process where it stands, or lets it go on. */
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  /** Bytes of memory that the process holds now. */
  readonly residentBytes: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

async function serverProcess(script: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const said: string[] = [];
  let child: ChildProcess | null = null;
  const start = async () => {
    const own = { ...process.env, ...env, PORT: String(port), HOST: '127.0.0.1' };
    const started = spawn(process.execPath, ['--import', 'tsx', script], { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    for (const output of [started.stdout, started.stderr]) output.on('data', (text: Buffer) => said.push(text.toString()));
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`${script} ended: ${said.join('').slice(-2000)}`);
      const answer = await fetch(`${origin}/healthz`).catch(() => null);
      return answer?.status === 200;
    });
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    origin,
    start,
    kill,
    signal: (name) => void child?.kill(name),
    residentBytes: async () => {
      const status = await readFile(`/proc/${child?.pid}/status`, 'utf8');
      return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
    },
    stop: kill,
  };
}

/** The enforcing proxy as `npm run proxy` starts it, in a data folder of its own. `routes` are those of the configuration file. */
export async function proxyProcess(
  routes: readonly Readonly<Record<string, unknown>>[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-proxy-'));
  const file = join(folder, 'tidemark.json');
  writeFileSync(file, JSON.stringify({ proxy: { routes } }));
  const own = { TIDEMARK_CONFIG: file, DATA_DIR: join(folder, 'data'), DATABASE_URL: '', REDIS_URL: '', ...env };
  const proxy = await serverProcess('server/proxy-main.ts', own);
  return {
    ...proxy,
    stop: async () => {
      await proxy.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface AdoptingUpstream extends ServerProcess {
  readonly url: string;
  /** Appends events to the standalone streams of sessions; answers the data of each, as it stands in the event. */
  readonly emit: (tokens: readonly string[], count: number, bytes?: number) => Promise<string[]>;
}

/** See `adopting-upstream.ts`. */
export async function adoptingUpstream(): Promise<AdoptingUpstream> {
  const upstream = await serverProcess('tests/proxy/adopting-upstream.ts', {});
  return {
    ...upstream,
    url: `${upstream.origin}/mcp`,
    emit: async (tokens, count, bytes = 0) => {
      const answer = await fetch(`${upstream.origin}/emit`, { method: 'POST', body: JSON.stringify({ tokens, count, bytes }) });
      return (await answer.json()) as string[];
    },
  };
}
