import { get } from 'node:http';
import { redisServer } from '@/tests/proxy/redis-server';
import { type OpenStream, openSession, openStream } from './client';
import { openFilesMax, type Running, residentKb, startProxy, startReplica, startUpstream } from './processes';
import { sayMark, sayRow } from './report';
import { burst } from './streams';

const KB_MAX = 40;
/** Files that a process has open beside its streams. */
const OTHER_FILES = 100;
const OPENED_AT_ONCE = 50;
const IDLE_MS = 4000;
const DELIVERY_MS = 30_000;

/** Opens streams that say nothing, in turns through the given processes. */
async function openIdle(proxies: readonly Running[], streams: number): Promise<OpenStream[]> {
  const open: OpenStream[] = [];
  while (open.length < streams) {
    const more = Array.from({ length: Math.min(OPENED_AT_ONCE, streams - open.length) }, (_, i) => proxies[i % proxies.length]);
    open.push(...(await Promise.all(more.flatMap((running) => (running === undefined ? [] : [openStream(running, '')])))));
  }
  return open;
}

/** Has the upstream send one event on every stream; answers how many came through. */
async function wakeAll(upstream: Running, open: readonly OpenStream[]): Promise<number> {
  let delivered = 0;
  const all = new Promise<void>((resolve) => {
    for (const { response } of open) {
      response.once('data', () => {
        delivered++;
        if (delivered === open.length) resolve();
      });
    }
  });
  get({ host: '127.0.0.1', port: upstream.port, path: '/wake' }, (response) => response.resume());
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, DELIVERY_MS))]);
  return delivered;
}

/** Streams of one load: what each costs its proxy, and how many still deliver an event after a while of silence. */
async function hold(label: string, proxies: readonly Running[], upstream: Running, streams: number): Promise<number> {
  const resident = (): number => proxies.reduce((sum, { pids: [pid = 0] }) => sum + residentKb(pid), 0);
  for (const running of proxies) {
    await openSession(running);
    await burst(running, 1, 1000);
  }
  const before = resident();
  const open = await openIdle(proxies, streams);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const each = (resident() - before) / streams;
  const held = await wakeAll(upstream, open);
  sayRow(label, `${held} of ${streams} idle streams held, each with an event after it`, `${each.toFixed(1)} KB each`);
  sayMark(`idle streams held, ${label}`, held, streams, false);
  for (const { response } of open) response.destroy();
  for (const running of proxies) running.stop();
  return each;
}

/**
 * A stream takes a proxy two sockets, and the system lets a process open so many files and no more: where that is too few
 * for `streams`, one process holds as many as it can, and `streams` are held by two that share a Redis.
 */
export async function measureIdle(streams: number): Promise<void> {
  const alone = Math.min(streams, Math.floor((openFilesMax() - OTHER_FILES) / 2));
  const upstream = await startUpstream();
  try {
    await hold('pipe', [await startProxy('pipe', upstream.port)], upstream, alone);
    for (const kind of ['tidemark', 'tidemark-retain'] as const) {
      sayMark(`KB per idle stream, ${kind}`, await hold(kind, [await startProxy(kind, upstream.port)], upstream, alone), KB_MAX);
    }
    const redis = await redisServer();
    try {
      const replicas = [await startReplica(upstream.port, redis.url), await startReplica(upstream.port, redis.url)];
      // What each costs is no mark here: whatever a process takes for itself counts twice.
      await hold('two processes', replicas, upstream, streams);
    } finally {
      await redis.stop();
    }
  } finally {
    upstream.stop();
  }
}
