import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '@/demo/children/free-port';
import { until } from '@/tests/proxy/start-proxy';

export interface RedisServer {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const KEPT = {
  always: ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''],
  /** Only what was there when somebody asked for a `SAVE`. */
  saved: ['--appendonly', 'no', '--save', ''],
};

/** A real redis-server with its own folder, on a port of its own. Keeps its data over a restart, unless told otherwise. */
export async function redisServer(keeps: keyof typeof KEPT = 'always'): Promise<RedisServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(
      process.env['TIDEMARK_REDIS_SERVER'] ?? 'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...KEPT[keeps]],
      { stdio: 'ignore' },
    );
    const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      return (await redis.ping().catch(() => null)) === 'PONG';
    });
    redis.disconnect();
  };
  const kill = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    url,
    kill,
    restart: start,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
