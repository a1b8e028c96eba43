import { type OpenStream, openSession, openStream } from './client';
import { cpuUs, type Running } from './processes';
import { quantile } from './report';

export interface Paced {
  /** CPU of the proxy process per event, in microseconds. */
  readonly cpu: number;
  /** From the upstream's stamp to the client's read, in microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly events: number;
}

const SETTLE_MS = 500;

/** Streams that send `rate` events a second each, for `ms` milliseconds after they settled. */
export async function paced(running: Running, streams: number, rate: number, ms: number): Promise<Paced> {
  const latencies: number[] = [];
  let isMeasuring = false;
  const open: OpenStream[] = [];
  for (let i = 0; i < streams; i++) {
    const stream = await openStream(running, `?rate=${rate}`);
    stream.response.on('data', (chunk: Buffer) => {
      if (isMeasuring) readStamps(chunk, latencies);
    });
    open.push(stream);
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  isMeasuring = true;
  const before = cpuUs(running.pids);
  await new Promise((resolve) => setTimeout(resolve, ms));
  isMeasuring = false;
  const cpu = cpuUs(running.pids) - before;
  await Promise.all(open.map(({ end }) => end()));
  const events = latencies.length;
  return { cpu: cpu / events, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), events };
}

function readStamps(chunk: Buffer, latencies: number[]): void {
  const now = performance.timeOrigin + performance.now();
  for (let at = chunk.indexOf('"t":'); at !== -1; at = chunk.indexOf('"t":', at + 200)) {
    latencies.push((now - Number.parseFloat(chunk.toString('latin1', at + 4, at + 24))) * 1000);
  }
}

/** The upstream writes one event per write as fast as they drain; answers the proxy's CPU per event, in microseconds. */
export async function burst(running: Running, streams: number, events: number): Promise<number> {
  const each = Math.ceil(events / streams);
  const sessions = await Promise.all(Array.from({ length: streams }, () => openSession(running)));
  const before = cpuUs(running.pids);
  const open = await Promise.all(
    sessions.map(async (session) => {
      const stream = await openStream(running, `?total=${each}`, session);
      stream.response.resume();
      await new Promise((resolve, reject) => stream.response.once('end', resolve).once('error', reject));
      return stream;
    }),
  );
  const cpu = cpuUs(running.pids) - before;
  await Promise.all(open.map(({ end }) => end()));
  return cpu / (each * streams);
}
