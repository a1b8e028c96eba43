import type { Spool } from '../spool/spool.js';
import { BATCH_BYTES_MAX, type BatchOrigin, type SendOutcome } from './batch.js';
import { DropCount } from './drop-count.js';
import { KeptBatches } from './kept-batches.js';
import { Pause } from './pause.js';
import { halvesOf, type Kept, type PendingBatch } from './pending-batch.js';
import { RecordQueue } from './record-queue.js';
import type { SenderOptions } from './sender-options.js';
import type { TelemetryProblem, TelemetryStats } from './stats.js';

/**
 * Sends queued records in numbered batches, from timers that never keep the process alive. While the intake is
 * away batches wait as long as the queue can hold what follows; a refused key stops all but a slow probe.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: RecordQueue;
  readonly #kept: KeptBatches;
  readonly #drops: DropCount;
  readonly #pause: Pause;
  readonly #closing = new AbortController();
  readonly #idle = new Set<() => void>();
  /** Batches that have to be sent again, oldest first. */
  readonly #returned: PendingBatch[] = [];
  #timer: NodeJS.Timeout | null = null;
  #workers = 0;
  #underWay = 0;
  #sequence = 0;
  #failures = 0;
  #isLocked = false;
  #sent = 0;
  #rejected = 0;
  #isDraining = false;
  #isClosed = false;
  #order = 0;
  #recovered = 0;
  #corrupt = 0;
  /** Of `#corrupt`, what the batches of earlier starts tell as dropped. */
  #corruptTold = 0;
  #spooled = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { spool } = options;
    this.#pause = new Pause(options.retryBaseMs, options.retryMaxMs);
    this.#queue = new RecordQueue(options.maxQueuedRecords, options.maxQueuedBytes, options.overflow, spool);
    this.#drops = new DropCount(spool, options.tell);
    this.#kept = new KeptBatches(spool, options.epoch);
    if (spool !== null) this.#takeOver(spool);
  }

  get stats(): TelemetryStats {
    return {
      queued: this.#queue.size + this.#underWay,
      sent: this.#sent,
      dropped: this.#drops.total + this.#corruptTold,
      rejected: this.#rejected,
      recovered: this.#recovered,
      corrupt: this.#corrupt,
      spooled: this.#spooled,
    };
  }

  /** Queues one record's JSON text. Never waits and never throws; what does not fit is dropped by the policy and counted. */
  push(line: string): void {
    const dropped = this.#isClosed ? 1 : this.#queue.push(line);
    if (dropped > 0) this.#drops.overflowed(dropped, this.#isClosed ? 'telemetry is closed' : 'the telemetry queue is full');
    if (this.#isClosed) return;
    if (this.#queue.size >= this.#options.maxBatchRecords) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#options.flushIntervalMs).unref();
  }

  /** Tells of a problem. */
  problem(problem: TelemetryProblem): void {
    this.#options.tell(problem);
  }

  /** Resolves when everything that is queued now was stored or given up, or when the intake refuses the key. */
  flush(): Promise<void> {
    if (this.#isLocked) this.#pause.end();
    this.#start();
    if (this.#workers === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }

  /** Drains within `timeoutMs`, then drops and counts the rest. Safe to call twice. */
  async close(timeoutMs: number): Promise<void> {
    this.#isDraining = true;
    const deadline = setTimeout(() => {
      this.#closing.abort(new Error('telemetry was closed'));
      this.#pause.end();
    }, timeoutMs);
    // Connections that were closed right before tell of it at the end of this turn, which is after its immediates.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    await this.flush();
    if (this.#drops.areOwed && !this.#closing.signal.aborted) {
      this.#returned.push(this.#tellingDrops());
      await this.flush();
    }
    clearTimeout(deadline);
    this.#isClosed = true;
    this.#closing.abort(new Error('telemetry was closed'));
    this.#pause.end();
    await this.flush();
    this.#options.transport.close();
    this.#options.spool?.close(this.#drops.areOwed);
  }

  /** What an earlier start could not send goes first, under the numbers that it had. */
  #takeOver(spool: Spool): void {
    const { batches, corrupt, corruptUntold } = spool.open();
    this.#corrupt = corrupt;
    this.#corruptTold = corrupt - corruptUntold;
    if (corruptUntold > 0) {
      // Before the rest of its batches fills their places, an empty batch tells how many.
      this.#drops.add(corruptUntold);
      this.#returned.push(this.#tellingDrops());
    }
    for (const { origin, lines, epoch } of batches) {
      this.#recovered += lines.length;
      this.#underWay += lines.length;
      this.#returned.push(this.#pending(origin ?? this.#nextOrigin(), lines, { by: 'earlier_start', epoch }));
    }
    if (this.#returned.length > 0) this.#timer = setTimeout(() => this.#start(), this.#options.flushIntervalMs).unref();
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // Once it is closed a batch is given up within the call, and the queue may be empty after it: what waits is counted anew each time.
    while (this.#workers < this.#window && this.#waiting > 0)
      this.#work().catch((cause: unknown) => this.problem({ code: 'internal', message: messageOf(cause) }));
  }

  /** Trouble is looked into by one batch at a time. */
  get #window(): number {
    return this.#failures > 0 ? 1 : this.#options.transport.window;
  }

  /** Batches that nobody works on yet. */
  get #waiting(): number {
    return this.#returned.length + Math.ceil(this.#queue.size / this.#options.maxBatchRecords);
  }

  async #work(): Promise<void> {
    this.#workers += 1;
    try {
      for (let batch = this.#next(); batch !== null; batch = this.#next()) {
        // Draining waits for a pause; otherwise nothing does.
        if (!this.#closing.signal.aborted) await this.#pause.wait(this.#isDraining);
        this.#settle(batch, this.#closing.signal.aborted ? GIVEN_UP : await this.#send(batch));
        if (this.#failures > 0 && this.#workers > 1) break;
      }
    } finally {
      this.#workers -= 1;
      if (this.#workers === 0) this.#isIdle();
    }
  }

  /** What a transport throws, against its promise, may be the fault of the batch. */
  async #send(batch: PendingBatch): Promise<SendOutcome> {
    try {
      return await this.#options.transport.send(batch, this.#closing.signal);
    } catch (cause) {
      return { kind: 'retry', afterMs: 0, isAway: false, message: `the transport failed: ${messageOf(cause)}` };
    }
  }

  #isIdle(): void {
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  #next(): PendingBatch | null {
    const returned = this.#returned.shift();
    if (returned !== undefined) return returned;
    const { lines, places } = this.#queue.take(this.#options.maxBatchRecords, BATCH_BYTES_MAX);
    if (lines.length === 0) return null;
    this.#underWay += lines.length;
    return this.#pending(this.#nextOrigin(), lines, { by: 'this_start', places });
  }

  #pending(origin: BatchOrigin, lines: readonly string[], kept: Kept): PendingBatch {
    const batch = { origin, lines, order: this.#order++, kept, attempts: 0 };
    this.#kept.numbered(batch);
    return batch;
  }

  /** A batch without records, which says how many were dropped. */
  #tellingDrops(): PendingBatch {
    return this.#pending(this.#nextOrigin(), [], { by: 'this_start', places: [] });
  }

  #nextOrigin(): BatchOrigin {
    const { producer, epoch, began } = this.#options;
    this.#sequence += 1;
    return { producer, epoch, began, sequence: this.#sequence, dropped: this.#drops.total };
  }

  #settle(batch: PendingBatch, outcome: SendOutcome): void {
    if (outcome.kind === 'retry') this.#again(batch, outcome);
    else if (outcome.kind === 'unauthorized') this.#lock(batch, outcome.message);
    else {
      this.#isBack();
      if (outcome.kind === 'too_large') this.#split(batch);
      else if (outcome.kind === 'refused') this.#giveUp(batch, { code: 'batch_refused', message: outcome.message });
      else this.#stored(batch, outcome);
    }
  }

  #stored(batch: PendingBatch, { rejected, firstProblem }: Extract<SendOutcome, { kind: 'stored' }>): void {
    const { lines, origin } = batch;
    this.#kept.forget(batch);
    if (origin.epoch === this.#options.epoch) this.#drops.told(origin.dropped);
    this.#underWay -= lines.length;
    this.#sent += lines.length - rejected;
    this.#rejected += rejected;
    if (firstProblem !== null) this.problem({ code: 'record_rejected', message: firstProblem });
  }

  #again(batch: PendingBatch, { afterMs, isAway, message }: Extract<SendOutcome, { kind: 'retry' }>): void {
    if (!isAway) batch.attempts += 1;
    if (this.#closing.signal.aborted || batch.attempts >= this.#options.maxAttempts) {
      this.#giveUp(batch, { code: 'delivery_failed', message });
      return;
    }
    if (this.#failures === 0 && isAway) this.problem({ code: 'intake_away', message });
    // Batches that were under way together fail together: that is one failure.
    if (this.#pause.isOver) {
      this.#pause.afterFailure(this.#failures, afterMs);
      this.#failures += 1;
    }
    this.#return(batch);
  }

  #lock(batch: PendingBatch, message: string): void {
    if (this.#closing.signal.aborted) {
      this.#giveUp(batch, { code: 'delivery_failed', message });
      return;
    }
    if (!this.#isLocked)
      this.problem({ code: 'unauthorized', message: `${message}; records wait, and the key is tried again now and then` });
    this.#isLocked = true;
    this.#failures += 1;
    this.#pause.about(this.#options.probeIntervalMs);
    this.#return(batch);
    this.#isIdle();
  }

  #isBack(): void {
    this.#isLocked = false;
    this.#failures = 0;
    this.#pause.clear();
    // The window opens again.
    queueMicrotask(() => this.#startIfWaiting());
  }

  #startIfWaiting(): void {
    if (this.#queue.size >= this.#options.maxBatchRecords || this.#returned.length > 0) this.#start();
  }

  #return(batch: PendingBatch): void {
    const at = this.#returned.findIndex(({ order }) => order > batch.order);
    this.#returned.splice(at < 0 ? this.#returned.length : at, 0, batch);
  }

  /** The first half keeps the number, the second half becomes a batch of its own. */
  #split(batch: PendingBatch): void {
    const { lines, origin } = batch;
    if (lines.length <= 1) {
      this.#giveUp(batch, { code: 'batch_refused', message: 'one record is above the limit of the intake' });
      return;
    }
    const half = Math.ceil(lines.length / 2);
    const [front, back] = halvesOf(batch.kept, half);
    this.#returned.unshift(this.#pending(origin, lines.slice(0, half), front), this.#pending(this.#nextOrigin(), lines.slice(half), back));
  }

  #giveUp(batch: PendingBatch, problem: TelemetryProblem): void {
    const { length } = batch.lines;
    this.#underWay -= length;
    // Closing leaves the spool as it is: the next start sends what is in it.
    const left = this.#closing.signal.aborted ? this.#kept.left(batch) : 0;
    this.#spooled += left;
    if (!this.#closing.signal.aborted) this.#kept.forget(batch);
    if (left === length) return;
    this.#drops.add(length - left);
    this.#queue.lost(length - left);
    this.problem(problem);
  }
}

const GIVEN_UP: SendOutcome = { kind: 'retry', afterMs: 0, isAway: true, message: 'telemetry was closed' };

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
