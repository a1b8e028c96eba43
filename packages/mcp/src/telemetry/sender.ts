import { type PostOutcome, postBatch } from './post-batch.js';
import { RecordQueue } from './record-queue.js';

export interface SenderOptions {
  readonly endpoint: URL;
  readonly key: string | undefined;
  readonly maxQueuedRecords: number;
  readonly maxQueuedBytes: number;
  readonly maxBatchRecords: number;
  readonly flushIntervalMs: number;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  readonly onProblem: (problem: TelemetryProblem) => void;
}

/** Something that kept records from being stored. It never reaches the server that is observed. */
export interface TelemetryProblem {
  readonly code: 'queue_full' | 'delivery_failed' | 'batch_refused' | 'record_rejected' | 'internal';
  readonly message: string;
}

export interface TelemetryStats {
  readonly queued: number;
  readonly sent: number;
  /** Records that were given up: the queue was full, or the intake did not take them in time. */
  readonly dropped: number;
  /** Records that the intake could not read. */
  readonly rejected: number;
}

const BATCH_BYTES_MAX = 512 * 1024;

/** Sends queued records in order, one batch at a time, from timers that never keep the process alive. */
export class Sender {
  readonly #queue: RecordQueue;
  readonly #options: SenderOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #pumping: Promise<void> | null = null;
  #inFlight = 0;
  #sent = 0;
  #dropped = 0;
  #rejected = 0;
  #isClosed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#queue = new RecordQueue(options.maxQueuedRecords, options.maxQueuedBytes);
  }

  get stats(): TelemetryStats {
    return { queued: this.#queue.size + this.#inFlight, sent: this.#sent, dropped: this.#dropped, rejected: this.#rejected };
  }

  /** Queues one record's JSON text. Never waits and never throws; what does not fit is dropped and counted, and answered false. */
  push(line: string): boolean {
    if (this.#isClosed || !this.#queue.push(line)) {
      this.#drop(1, { code: 'queue_full', message: 'the telemetry queue is full or closed' });
      return false;
    }
    if (this.#queue.size >= this.#options.maxBatchRecords) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#options.flushIntervalMs).unref();
    return true;
  }

  /** Tells of a problem; what the listener throws is lost with it. */
  problem(problem: TelemetryProblem): void {
    try {
      this.#options.onProblem(problem);
    } catch {
      // The listener belongs to the server: its own failure must not stop telemetry, nor the other way round.
    }
  }

  /** Resolves when everything that is queued now was stored or given up. */
  async flush(): Promise<void> {
    this.#start();
    await this.#pumping;
  }

  /** Drains within `timeoutMs`, then drops and counts the rest. Safe to call twice. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    const deadline = setTimeout(() => this.#closing.abort(new Error('telemetry was closed')), timeoutMs);
    await this.flush();
    clearTimeout(deadline);
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
    });
  }

  async #pump(): Promise<void> {
    while (this.#queue.size > 0) {
      const batch = this.#queue.take(this.#options.maxBatchRecords, BATCH_BYTES_MAX);
      this.#inFlight = batch.length;
      await this.#deliver(batch);
      this.#inFlight = 0;
    }
  }

  async #deliver(batch: readonly string[]): Promise<void> {
    let last = 'telemetry was closed';
    for (let attempt = 0; attempt < this.#options.maxAttempts && !this.#closing.signal.aborted; attempt++) {
      const outcome = await postBatch({ ...this.#options, dropped: this.#dropped }, batch, this.#closing.signal);
      if (outcome.kind !== 'retry') return this.#settle(batch, outcome);
      last = outcome.message;
      await this.#pause(Math.max(outcome.afterMs, this.#backoffMs(attempt)));
    }
    this.#drop(batch.length, { code: 'delivery_failed', message: last });
  }

  async #settle(batch: readonly string[], outcome: Exclude<PostOutcome, { kind: 'retry' }>): Promise<void> {
    if (outcome.kind === 'stored') {
      this.#sent += batch.length - outcome.rejected;
      this.#rejected += outcome.rejected;
      if (outcome.firstProblem !== null) this.problem({ code: 'record_rejected', message: outcome.firstProblem });
    } else if (outcome.kind === 'refused') this.#drop(batch.length, { code: 'batch_refused', message: outcome.message });
    else if (batch.length === 1) this.#drop(1, { code: 'batch_refused', message: 'one record is above the limit of the intake' });
    else {
      const half = Math.ceil(batch.length / 2);
      await this.#deliver(batch.slice(0, half));
      await this.#deliver(batch.slice(half));
    }
  }

  /** Doubles from the base to the maximum, with the upper half of it left to chance so that servers spread out. */
  #backoffMs(attempt: number): number {
    return Math.min(this.#options.retryMaxMs, this.#options.retryBaseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (!this.#isClosed) timer.unref();
      signal.addEventListener('abort', done);
    });
  }

  #drop(count: number, problem: TelemetryProblem): void {
    this.#dropped += count;
    this.problem(problem);
  }
}
