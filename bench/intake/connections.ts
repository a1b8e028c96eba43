import { once } from 'node:events';
import WebSocket from 'ws';
import { type Batch, batchesOf } from './attempts';
import { residentMb } from './overload';

/** Records of one frame: a process of a fleet that reports every few seconds. */
const PER_FRAME = 5;
/** Connections that are opened, or that send, at a time. */
const AT_A_TIME = 250;
/** Connections of one address: ports are counted per address. */
const PER_ADDRESS = 1_000;
/** Of all connections, those that are cut at once. */
const CUT_SHARE = 0.2;

export interface ConnectionsParts {
  readonly base: string;
  /** Process id of the edge. */
  readonly pid: number;
  readonly connections: number;
  /** Empties the table and answers with the rows that it had. */
  readonly emptied: () => Promise<number>;
}

/**
 * Holds thousands of connections, sends on every one, cuts a fifth of them while their next frames are under way and lets those
 * come back and send again. True when every record is stored once.
 */
export async function manyConnections({ base, pid, connections, emptied }: ConnectionsParts): Promise<boolean> {
  await emptied();
  const before = residentMb(pid);
  const sockets = await side(connections, (index) => openSocket(base, index));
  const opened = residentMb(pid);
  const first = batchesOf(connections * PER_FRAME, PER_FRAME);
  const began = performance.now();
  await side(connections, (index) => acknowledged(at(sockets, index), at(first, index)));
  const ms = performance.now() - began;
  const sent = residentMb(pid);
  const cut = Math.round(connections * CUT_SHARE);
  const second = batchesOf(connections * PER_FRAME, PER_FRAME);
  for (const [index, socket] of sockets.entries()) if (index < cut) send(socket, at(second, index));
  for (const socket of sockets.slice(0, cut)) socket.terminate();
  const stormBegan = performance.now();
  const stay = Promise.all(second.slice(cut).map((batch, index) => acknowledged(at(sockets, cut + index), batch)));
  const back = await Promise.all(
    second.slice(0, cut).map(async (batch, index) => {
      const socket = await openSocket(base, index);
      await acknowledged(socket, batch);
      return socket;
    }),
  );
  await stay;
  const stormMs = performance.now() - stormBegan;
  const stored = await emptied();
  const expected = 2 * connections * PER_FRAME;
  for (const socket of [...sockets.slice(cut), ...back]) socket.terminate();
  const kilobytes = (mb: number): string => ((mb * 1024) / connections).toFixed(1);
  console.log(
    `${connections} connections: ${kilobytes(opened - before)} KiB each at rest, ${kilobytes(sent - before)} KiB after they sent; ` +
      `${connections * PER_FRAME} records over all of them in ${Math.round(ms)} ms`,
  );
  console.log(
    `${cut} of them cut at once came back and sent again while the others sent: ${Math.round(stormMs)} ms; ` +
      `${expected} records acknowledged, ${stored} stored: ${stored === expected ? 'equal' : 'NOT EQUAL'}`,
  );
  return stored === expected;
}

async function openSocket(base: string, index: number): Promise<WebSocket> {
  const localAddress = `127.0.0.${2 + (Math.floor(index / PER_ADDRESS) % 250)}`;
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/telemetry/ws`, { localAddress, perMessageDeflate: false });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

function send(socket: WebSocket, { frame }: Batch): void {
  socket.send(frame);
}

/** Sends until it is acknowledged: a full intake says when to come again. */
async function acknowledged(socket: WebSocket, batch: Batch): Promise<void> {
  for (;;) {
    send(socket, batch);
    const [data] = await once(socket, 'message');
    const answer = JSON.parse(String(data)) as { ack?: number; error?: { code: string } };
    if (answer.ack !== undefined) return;
    if (answer.error?.code !== 'intake_full') throw new Error(`intake answered ${String(data)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Does `work` for each number below `count`, a bounded number of them at a time. */
async function side<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += AT_A_TIME) {
    const indices = Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, i) => from + i);
    results.push(...(await Promise.all(indices.map(work))));
  }
  return results;
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new Error(`there is no number ${index}`);
  return value;
}
