import { once } from 'node:events';
import WebSocket from 'ws';
import { postLines } from './api-client';
import { attemptRecord } from './attempt-record';
import type { Answer } from './socket-client';

/** Senders that never give up: what they began to send is sent again, wherever the intake is by then, until it is acknowledged. */
export interface SteadyOptions {
  /** Where the intake is now. */
  readonly base: () => string;
  readonly server: string;
  /** From when on no new batch is begun. */
  readonly isOver: () => boolean;
  /** Told of every acknowledged batch. */
  readonly onAcknowledged: () => void;
}

type Records = readonly { readonly id: string }[];

const BATCH_RECORDS = 200;
/** Frames of one connection without an answer. */
const FRAMES = 4;

const batchOf = (server: string): Records => Array.from({ length: BATCH_RECORDS }, () => attemptRecord({ server }));
const idsOf = (records: Records): string[] => records.map(({ id }) => id);
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** One sender over HTTP, one batch at a time; answers with the ids that were acknowledged. */
export async function sendSteadily({ base, server, isOver, onAcknowledged }: SteadyOptions): Promise<string[]> {
  const acknowledged: string[] = [];
  while (!isOver()) {
    const batch = batchOf(server);
    const lines = batch.map((record) => JSON.stringify(record));
    for (;;) {
      const reply = await postLines(`${base()}/api/v1/telemetry`, lines).catch(() => null);
      if (reply?.status === 202) {
        if (Number(reply.body['accepted']) + Number(reply.body['duplicate']) !== batch.length) throw new Error(JSON.stringify(reply.body));
        break;
      }
      await turn();
    }
    acknowledged.push(...idsOf(batch));
    onAcknowledged();
  }
  return acknowledged;
}

/** The same over WebSocket, with several frames under way; a connection that breaks is made anew and what has no answer is sent again. */
export async function sendFramesSteadily(options: SteadyOptions): Promise<string[]> {
  const { base, server, isOver } = options;
  const acknowledged: string[] = [];
  const pending = new Map<number, Records>();
  let seq = 0;
  while (!isOver() || pending.size > 0) {
    const socket = new WebSocket(`${base().replace('http', 'ws')}/api/v1/telemetry/ws`);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    const isOpen = await Promise.race([
      once(socket, 'open').then(
        () => true,
        () => false,
      ),
      closed.then(() => false),
    ]);
    if (!isOpen) {
      await turn();
      continue;
    }
    const send = (number: number): void => {
      const records = pending.get(number);
      if (records !== undefined && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ seq: number, records }));
    };
    const fill = (): void => {
      while (pending.size < FRAMES && !isOver()) {
        pending.set(++seq, batchOf(server));
        send(seq);
      }
      if (pending.size === 0) socket.close();
    };
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.ack === undefined) {
        const refused = answer.seq;
        if (typeof refused === 'number') setTimeout(() => send(refused), 5);
        return;
      }
      const records = pending.get(answer.ack);
      if (records === undefined) return;
      if ((answer.accepted ?? 0) + (answer.duplicate ?? 0) !== records.length) throw new Error(String(data));
      pending.delete(answer.ack);
      acknowledged.push(...idsOf(records));
      options.onAcknowledged();
      fill();
    });
    for (const number of pending.keys()) send(number);
    fill();
    await closed;
  }
  return acknowledged;
}
