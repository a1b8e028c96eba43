import type { NumberedBatch, RecordToStore, StoreOutcome } from '@/lib/store/record-to-store';

/** Stores a group in one transaction: its records, and which of its batches are numbered. */
export type StoreGroup = (records: readonly RecordToStore[], batches: readonly NumberedBatch[]) => Promise<StoreOutcome>;

/** The intake cannot take records now; nothing of the submission was stored, or it cannot be known. */
export class IntakeRefusal extends Error {
  override readonly name = 'IntakeRefusal';

  constructor(
    readonly code: 'intake_full' | 'database_unavailable' | 'shutting_down',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface CommitLimits {
  /** Records and characters of their bodies that may wait. */
  readonly recordsMax: number;
  readonly charsMax: number;
  /** Records of one transaction, unless a single submission is larger. */
  readonly groupMax: number;
  /** Transactions at a time. */
  readonly flightsMax: number;
}

interface Submission {
  readonly records: readonly RecordToStore[];
  readonly batch: NumberedBatch | null;
  readonly chars: number;
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Group commit: submissions that wait while transactions are in flight go out together in the next one. The
 * queue is bounded and refuses when full; a submission is answered only after its transaction committed.
 */
export class CommitQueue {
  readonly #store: StoreGroup;
  readonly #isTrouble: (cause: unknown) => boolean;
  readonly #limits: CommitLimits;
  #waiting: Submission[] = [];
  #records = 0;
  #chars = 0;
  #flights = 0;
  #isScheduled = false;
  #isClosed = false;
  #idle: (() => void)[] = [];

  /** @param isTrouble whether the store failed for want of a database, rather than because of what it was given. */
  constructor(store: StoreGroup, isTrouble: (cause: unknown) => boolean, limits: CommitLimits) {
    this.#store = store;
    this.#isTrouble = isTrouble;
    this.#limits = limits;
  }

  /** Records that wait or are in flight. */
  get depth(): number {
    return this.#records;
  }

  /**
   * Resolves after the commit.
   *
   * @throws IntakeRefusal when full or closed; otherwise whatever the store threw.
   */
  submit(records: readonly RecordToStore[], batch: NumberedBatch | null = null): Promise<StoreOutcome> {
    if (this.#isClosed) throw new IntakeRefusal('shutting_down', 'the intake is shutting down');
    const chars = records.reduce((sum, record) => sum + record.body.length, 0);
    const isFull = this.#records + records.length > this.#limits.recordsMax || this.#chars + chars > this.#limits.charsMax;
    // A submission larger than the whole queue is let into an empty one: the body limit has bounded it already.
    if (isFull && this.#records > 0) throw new IntakeRefusal('intake_full', 'the intake is full');
    this.#records += records.length;
    this.#chars += chars;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, batch, chars, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes nothing more and resolves when everything taken is committed or failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Submissions of one turn of the event loop go out together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#flights < this.#limits.flightsMax && this.#waiting.length > 0) void this.#fly(this.#nextGroup());
    });
  }

  #nextGroup(): Submission[] {
    let size = 0;
    let count = 0;
    for (const { records } of this.#waiting) {
      if (count > 0 && size + records.length > this.#limits.groupMax) break;
      size += records.length;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #fly(group: readonly Submission[]): Promise<void> {
    this.#flights++;
    try {
      const [first] = group;
      const records = group.length === 1 && first !== undefined ? first.records : group.flatMap((submission) => submission.records);
      const outcome = await this.#store(records, group.flatMap(batchesOf));
      for (const submission of group) submission.resolve(outcome);
    } catch (cause) {
      if (group.length > 1 && !this.#isTrouble(cause)) await this.#flyAlone(group);
      else for (const submission of group) submission.reject(cause);
    }
    this.#release(group);
  }

  #release(group: readonly Submission[]): void {
    this.#flights--;
    for (const { records, chars } of group) {
      this.#records -= records.length;
      this.#chars -= chars;
    }
    if (this.#waiting.length > 0) this.#schedule();
    else if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One submission that cannot be stored must not take the others of its group with it. */
  async #flyAlone(group: readonly Submission[]): Promise<void> {
    for (const submission of group) {
      await this.#store(submission.records, batchesOf(submission)).then(submission.resolve, submission.reject);
    }
  }

  #isIdle(): boolean {
    return this.#flights === 0 && this.#waiting.length === 0;
  }
}

function batchesOf({ batch }: Submission): NumberedBatch[] {
  return batch === null ? [] : [batch];
}
