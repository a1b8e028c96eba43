import type { BatchOrigin } from '@/lib/intake/batch-origin';
import type { Batch } from '@/lib/intake/batch-text';
import { type CommitLimits, CommitQueue, IntakeRefusal, type StoreGroup } from '@/lib/intake/commit-queue';
import { prepareRecord, type Receipt } from '@/lib/intake/prepare-record';
import type { NumberedBatch, RecordToStore, StoreOutcome } from '@/lib/store/record-to-store';

export interface IntakeParts {
  readonly store: StoreGroup;
  readonly sessionRef: Receipt['sessionRef'];
  readonly now: () => number;
  /** Whether the store failed because the database cannot serve now. */
  readonly isTrouble: (cause: unknown) => boolean;
  /** Whether that is because it has no space left. */
  readonly isDiskFull: (cause: unknown) => boolean;
  /** Records before it are refused; epoch milliseconds. */
  readonly oldestMs?: () => number;
  /** Told of every commit: the records that are newly stored. Must not throw. */
  readonly onStored: (records: readonly RecordToStore[]) => void;
}

export interface Rejection {
  readonly index: number;
  readonly path: string;
  readonly message: string;
}

/** Answer of the intake (contract section 4); given only after the commit. */
export interface IntakeResult {
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: readonly Rejection[];
}

const LIMITS: CommitLimits = { recordsMax: 200_000, charsMax: 128 * 1024 * 1024, groupMax: 10_000, flightsMax: 2 };

const DISK_FULL_MS = 10_000;

/** Takes telemetry from every door: decodes and judges each record, and stores the batch in group commits. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #queue: CommitQueue;
  #lastArrival = 0;
  #diskFullAtMs: number | null = null;

  constructor(parts: IntakeParts, limits: Partial<CommitLimits> = {}) {
    this.#parts = parts;
    this.#queue = new CommitQueue(parts.store, parts.isTrouble, { ...LIMITS, ...limits });
  }

  /** Records that wait for their commit. */
  get depth(): number {
    return this.#queue.depth;
  }

  /**
   * Whether the database had no space at the last try to store, a moment ago. It is not remembered for long: whoever stops
   * sending because of it would never learn that there is space again.
   */
  get isDiskFull(): boolean {
    return this.#diskFullAtMs !== null && this.#parts.now() - this.#diskFullAtMs < DISK_FULL_MS;
  }

  /**
   * Stores values as records, in the order given. Resolves after the commit; values that cannot be read are
   * named in the result and the rest is stored.
   *
   * @throws IntakeRefusal when the intake is full, closing, or the database cannot serve: then the caller must
   * send again, and records with an id are stored once all the same.
   */
  async submit(values: readonly unknown[]): Promise<IntakeResult> {
    return this.submitBatch({ values, unreadable: new Map() });
  }

  /**
   * The same for a parsed body, some of whose lines may be no JSON. A numbered batch is noted in the transaction
   * of its records, even where none of them could be read.
   */
  async submitBatch(batch: Batch, origin: BatchOrigin | null = null): Promise<IntakeResult> {
    const receivedAt = this.#parts.now();
    const { records, rejected } = this.#prepare(batch, receivedAt);
    if (records.length === 0 && origin === null) return { accepted: 0, duplicate: 0, rejected };
    const { duplicates } = await this.#store(records, origin === null ? null : { origin, receivedAt, records });
    const stored = duplicates.size === 0 ? records : records.filter((record) => !duplicates.has(record));
    if (stored.length > 0) this.#parts.onStored(stored);
    return { accepted: stored.length, duplicate: records.length - stored.length, rejected };
  }

  /** Takes nothing more and drains. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #prepare({ values, unreadable }: Batch, receivedAt: number): { records: RecordToStore[]; rejected: Rejection[] } {
    const receipt: Receipt = {
      at: receivedAt,
      nextArrival: () => this.#nextArrival(receivedAt),
      sessionRef: this.#parts.sessionRef,
      ...(this.#parts.oldestMs === undefined ? {} : { oldestMs: this.#parts.oldestMs() }),
    };
    const records: RecordToStore[] = [];
    const rejected: Rejection[] = [];
    for (const [index, value] of values.entries()) {
      const problem = unreadable.get(index);
      if (problem !== undefined) {
        rejected.push({ index, path: '', message: problem });
        continue;
      }
      const prepared = prepareRecord(value, receipt);
      if (prepared.ok) records.push(prepared.value);
      else rejected.push({ index, ...prepared.error });
    }
    return { records, rejected };
  }

  /** Microseconds of the clock, or one more than the last: rises within the process, and across restarts as clocks do. */
  #nextArrival(nowMs: number): number {
    this.#lastArrival = Math.max(this.#lastArrival + 1, nowMs * 1000);
    return this.#lastArrival;
  }

  async #store(records: readonly RecordToStore[], batch: NumberedBatch | null): Promise<StoreOutcome> {
    try {
      const outcome = await this.#queue.submit(records, batch);
      this.#diskFullAtMs = null;
      return outcome;
    } catch (cause) {
      if (this.#parts.isDiskFull(cause)) {
        this.#diskFullAtMs = this.#parts.now();
        throw new IntakeRefusal('disk_full', 'the database has no space left', { cause });
      }
      if (!this.#parts.isTrouble(cause)) throw cause;
      throw new IntakeRefusal('database_unavailable', 'the database cannot be reached', { cause });
    }
  }
}
