import { once } from 'node:events';
import { Agent, request } from 'node:http';
import WebSocket from 'ws';
import type { Batch } from './attempts';

/** Sends one batch and resolves with its acknowledgement; false when it was refused. */
export interface Sender {
  readonly send: (batch: Batch) => Promise<boolean>;
  readonly close: () => void;
}

/** Sends over HTTP with keep-alive, as many requests at a time as it is asked for, up to `connections`. */
export function httpSender(url: URL, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: async ({ lines }) => {
      const headers = { 'content-type': 'application/x-ndjson', 'content-length': lines.length };
      const sent = request(url, { method: 'POST', agent, headers });
      sent.end(lines);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 202 && response.statusCode !== 429) throw new Error(`intake answered ${response.statusCode}`);
      return response.statusCode === 202;
    },
    close: () => agent.destroy(),
  };
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

/** Milliseconds to the acknowledgement of each batch, counted from when it was due, at a fixed pace. */
export async function paced(sender: Sender, batches: readonly Batch[], perSecond: number): Promise<number[]> {
  const began = performance.now();
  const waits: number[] = [];
  const due = (index: number) => began + (index * 1000) / perSecond;
  const one = async (batch: Batch, index: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due(index) - performance.now())));
    await sender.send(batch);
    waits.push(performance.now() - due(index));
  };
  await Promise.all(batches.map(one));
  return waits;
}
