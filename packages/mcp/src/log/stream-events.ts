import { StreamCall } from '../ledger/stream-call.js';

/** One retained event. `position` counts from 1 in its stream and generation. */
export interface LogEvent<M> {
  readonly id: string;
  readonly position: number;
  readonly message: M;
  readonly bytes: number;
  /** Epoch milliseconds at which it was appended. */
  readonly at: number;
  /** Order of appending over all streams of the log. */
  readonly order: number;
}

/** The retained run of one stream: contiguous, evicted only from its front, so that it never has a hole. */
export class StreamEvents<M> {
  #events: LogEvent<M>[] = [];
  #start = 0;
  #head = 0;
  readonly call = new StreamCall();

  constructor(
    readonly stream: string,
    readonly serial: number,
  ) {}

  get size(): number {
    return this.#events.length - this.#start;
  }

  /** Highest position ever assigned; 0 before the first event. */
  get head(): number {
    return this.#head;
  }

  /** Lowest retained position; `head + 1` when nothing is retained. */
  get floor(): number {
    return this.#head - this.size + 1;
  }

  get oldest(): LogEvent<M> | undefined {
    return this.#events[this.#start];
  }

  append(event: LogEvent<M>): void {
    this.#events.push(event);
    this.#head = event.position;
    this.call.note(event.position, event.message);
  }

  /** Drops the oldest event and returns it. */
  evict(): LogEvent<M> | undefined {
    const event = this.#events[this.#start];
    if (event === undefined) return undefined;
    this.#start += 1;
    if (this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
    return event;
  }

  /** Drops every event and answers how many bytes they had. */
  clear(): number {
    let bytes = 0;
    for (let index = this.#start; index < this.#events.length; index++) bytes += this.#events[index]?.bytes ?? 0;
    this.#events = [];
    this.#start = 0;
    return bytes;
  }

  /** Retained events after `position`, in order. */
  after(position: number): LogEvent<M>[] {
    const skipped = Math.max(0, position - this.floor + 1);
    return this.#events.slice(this.#start + skipped);
  }
}
