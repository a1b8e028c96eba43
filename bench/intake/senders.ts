import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import WebSocket from 'ws';
import type { Batch } from './attempts';

/** Sends one batch and resolves with its acknowledgement; false when it was refused. */
export interface Sender {
  readonly send: (batch: Batch) => Promise<boolean>;
  readonly close: () => void;
}

/** What an answer of the intake ends with; its body is JSON on one line. */
const HEAD_END = '\r\n\r\n';

/**
 * Sends over HTTP, one request at a time over one connection that is kept open. Written by hand on the socket, since a client
 * library costs more per request than the intake does, and what the sender costs is taken from what is measured.
 */
export async function httpSender(base: string): Promise<Sender> {
  const { hostname, port, host } = new URL(base);
  let socket = await connected(hostname, Number(port));
  const post = async (batch: Batch): Promise<number> => {
    const head = `POST /api/v1/telemetry HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${batch.lines.length}${HEAD_END}`;
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(batch.lines);
    socket.uncork();
    return statusOf(await answerOf(socket));
  };
  const reconnect = async (): Promise<void> => {
    socket.destroy();
    socket = await connected(hostname, Number(port));
  };
  return {
    send: async (batch) => {
      // A server may close a connection that was idle just as it is used again: as any sender, it sends once more over a new one.
      if (socket.destroyed || socket.readyState !== 'open') await reconnect();
      const status = await post(batch).catch(async () => {
        await reconnect();
        return post(batch);
      });
      if (status !== 202 && status !== 429) throw new Error(`intake answered ${status}`);
      return status === 202;
    },
    close: () => socket.destroy(),
  };
}

async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** One whole answer as text. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const onData = (chunk: Buffer): void => {
      answer += chunk.toString('latin1');
      if (isWhole(answer)) settle(() => resolve(answer));
    };
    const onClose = (): void => settle(() => reject(new Error('the intake closed the connection')));
    const settle = (then: () => void): void => {
      socket.off('data', onData);
      socket.off('close', onClose);
      then();
    };
    socket.on('data', onData);
    socket.on('close', onClose);
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf(HEAD_END);
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
  return answer.length >= end + HEAD_END.length + length;
}

function statusOf(answer: string): number {
  return Number(answer.slice(9, 12));
}

/** Sends over one WebSocket, one frame at a time. */
export async function socketSender(base: string): Promise<Sender> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/telemetry/ws`);
  await once(socket, 'open');
  return {
    send: async ({ frame }) => {
      socket.send(frame);
      const [data] = await once(socket, 'message');
      const answer = JSON.parse(String(data)) as { ack?: number; error?: { code: string } };
      if (answer.ack === undefined && answer.error?.code !== 'intake_full') throw new Error(`intake answered ${String(data)}`);
      return answer.ack !== undefined;
    },
    close: () => socket.close(),
  };
}

/** Milliseconds that the senders need for all batches, each taking the next one when its last is acknowledged. */
export async function saturate(senders: readonly Sender[], batches: readonly Batch[]): Promise<number> {
  let next = 0;
  const began = performance.now();
  const work = async ({ send }: Sender): Promise<void> => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
      while (!(await send(batch))) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await Promise.all(senders.map(work));
  return performance.now() - began;
}

/**
 * Milliseconds to the acknowledgement of each batch, counted from when it was due, at a fixed pace. A batch that is due while
 * every sender waits goes out late, and its wait counts.
 */
export async function paced(senders: readonly Sender[], batches: readonly Batch[], perSecond: number): Promise<number[]> {
  const began = performance.now();
  const waits: number[] = [];
  let next = 0;
  const work = async ({ send }: Sender): Promise<void> => {
    for (let index = next++; index < batches.length; index = next++) {
      const batch = batches[index];
      if (batch === undefined) return;
      const due = began + (index * 1000) / perSecond;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      await send(batch);
      waits.push(performance.now() - due);
    }
  };
  await Promise.all(senders.map(work));
  return waits;
}

/** Opens senders side by side. */
export function sendersOf(base: string, count: number, open: (base: string) => Promise<Sender>): Promise<Sender[]> {
  return Promise.all(Array.from({ length: count }, () => open(base)));
}
