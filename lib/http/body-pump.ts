import type { Readable } from 'node:stream';

/** Takes a part of a body; answers with what has to be waited for before more of it is read, or null. */
export type TakePart = (chunk: Buffer) => Promise<void> | null;

export interface PumpParts {
  /** Called for every part; what it throws ends the pump. */
  readonly take: TakePart;
  /** Time that the sender may take; not counted is what `take` takes. */
  readonly msMax: number;
  /** What the pump rejects with when that time is over. */
  readonly tooSlow: () => Error;
  /** What it rejects with when the source breaks. */
  readonly broken: (cause: Error) => Error;
}

/** Hands on what a stream brings, no faster than it is taken. Resolves at its end and never destroys it. */
export function pumpBody(source: Readable, parts: PumpParts): Promise<void> {
  return new Promise((resolve, reject) => new BodyPump(source, parts, resolve, reject));
}

class BodyPump {
  readonly #source: Readable;
  readonly #parts: PumpParts;
  readonly #resolve: () => void;
  readonly #reject: (cause: unknown) => void;
  #timer: NodeJS.Timeout;
  #leftMs: number;
  #since = performance.now();
  #isOver = false;

  constructor(source: Readable, parts: PumpParts, resolve: () => void, reject: (cause: unknown) => void) {
    this.#source = source;
    this.#parts = parts;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#leftMs = parts.msMax;
    this.#timer = setTimeout(this.#onTimeout, parts.msMax);
    source.on('data', this.#onData);
    source.on('end', this.#onEnd);
    source.once('error', this.#onError);
  }

  readonly #onData = (chunk: Buffer): void => {
    try {
      const taken = this.#parts.take(chunk);
      if (taken !== null) this.#wait(taken);
    } catch (cause) {
      this.#fail(cause);
    }
  };
  readonly #onEnd = (): void => this.#stop(this.#resolve);
  readonly #onTimeout = (): void => this.#fail(this.#parts.tooSlow());
  readonly #onError = (cause: Error): void => this.#fail(this.#parts.broken(cause));

  #wait(taken: Promise<void>): void {
    this.#source.pause();
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
    taken.then(
      () => this.#goOn(),
      (cause: unknown) => this.#fail(cause),
    );
  }

  #goOn(): void {
    if (this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onTimeout, this.#leftMs);
    this.#source.resume();
  }

  #fail(cause: unknown): void {
    this.#stop(() => this.#reject(cause));
  }

  #stop(then: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#source.off('data', this.#onData);
    this.#source.off('end', this.#onEnd);
    then();
  }
}
