import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A reader that takes nothing of what waits for it for this long is gone, or might as well be. The system takes more from us only once a third
 * of its own buffer, which may be megabytes, is empty again: a slow reader is seen to move in leaps.
 */
const UNTAKEN_MS_MAX = 120_000;
/** How often within that time answers are looked at: one that is not taken is given up at most this part of it later. */
const LOOKS = 4;

interface Answering {
  readonly socket: Socket;
  readonly onOver: () => void;
  /** Bytes that its connection had handed over when it was last seen to move, and when that was. */
  taken: number;
  sinceMs: number;
}

/**
 * Answers that are under way. One whose reader takes nothing of what waits for it is given up with its connection: without an end, readers
 * that stall would hold the memory of their answers for as long as they like. An answer that is still being made waits for no reader.
 */
export class UntakenAnswers {
  readonly #msMax: number;
  readonly #answers = new Set<Answering>();
  #timer: NodeJS.Timeout | null = null;

  constructor(msMax = UNTAKEN_MS_MAX) {
    this.#msMax = msMax;
  }

  /** Watches over the answer to a request. Resolves when all of it was handed over, or its connection is gone. */
  watch({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#timer ??= setInterval(() => this.#look(), this.#msMax / LOOKS).unref();
    return new Promise((resolve) => {
      const answering: Answering = { socket, onOver: resolve, taken: -1, sinceMs: performance.now() };
      this.#answers.add(answering);
      response.once('close', () => this.#end(answering));
    });
  }

  #end(answering: Answering): void {
    if (this.#answers.delete(answering)) answering.onOver();
  }

  #look(): void {
    const now = performance.now();
    for (const answering of this.#answers) {
      const { socket } = answering;
      // An answer that stands behind another one of its connection is not told of its end.
      if (socket.destroyed) this.#end(answering);
      else if (hasMoved(answering)) answering.sinceMs = now;
      else if (now - answering.sinceMs >= this.#msMax) socket.destroy();
    }
    if (this.#answers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Whether nothing waits for the reader, or some of what did was taken. */
function hasMoved(answering: Answering): boolean {
  const { socket } = answering;
  const taken = socket.bytesWritten - socket.writableLength;
  const isSame = taken === answering.taken;
  answering.taken = taken;
  return !isSame || socket.writableLength === 0;
}
