import { once } from 'node:events';
import WebSocket from 'ws';

export interface Answer {
  readonly ack?: number;
  readonly accepted?: number;
  readonly duplicate?: number;
  readonly rejected?: readonly unknown[];
  readonly seq?: number | null;
  readonly error?: { readonly code: string; readonly path?: string };
  readonly retry_after?: number;
}

export interface Goodbye {
  readonly code: number;
  readonly reason: string;
}

/** A sender of telemetry over WebSocket, as an instrumentation would write one. */
export interface SocketClient {
  readonly socket: WebSocket;
  readonly send: (frame: unknown) => void;
  /** The next answer that nobody has taken yet. */
  readonly answer: () => Promise<Answer>;
  readonly closed: Promise<Goodbye>;
}

export async function openSocket(base: string, headers: Record<string, string> = {}): Promise<SocketClient> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/telemetry/ws`, { headers });
  const waiting: Answer[] = [];
  let wanted: ((answer: Answer) => void)[] = [];
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Answer;
    const [taker, ...others] = wanted;
    wanted = others;
    if (taker === undefined) waiting.push(answer);
    else taker(answer);
  });
  const closed = new Promise<Goodbye>((resolve) => socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    socket,
    closed,
    send: (frame) => socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    answer: () => {
      const answer = waiting.shift();
      if (answer !== undefined) return Promise.resolve(answer);
      return new Promise((resolve, reject) => {
        wanted.push(resolve);
        void closed.then(({ code }) => reject(new Error(`closed with ${code} before an answer`)));
      });
    },
  };
}
