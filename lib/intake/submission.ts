import type { BatchOrigin } from '@/lib/intake/batch-origin';
import type { Batch } from '@/lib/intake/batch-text';
import { IntakeRefusal } from '@/lib/intake/commit-queue';
import { isBelieved, prepareRecord, type Receipt, TOO_OLD } from '@/lib/intake/prepare-record';
import { rejectedRecord } from '@/lib/intake/rejected-record';
import type { RecordToStore, RejectedRecord, SentBatch, StoreRefusal } from '@/lib/store/record-to-store';

export interface Rejection {
  readonly index: number;
  readonly path: string;
  readonly message: string;
  /** Given where not the record itself is at fault. */
  readonly code?: 'foreign_server';
}

/** Answer of the intake (contract section 4); given only after the commit. */
export interface IntakeResult {
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: readonly Rejection[];
}

/** What became of records that were handed to the store. */
export interface PartOutcome {
  /** How many of them are new. */
  readonly stored: number;
  /** Those that the store did not take. */
  readonly refused: ReadonlyMap<RecordToStore, StoreRefusal>;
}

export interface SubmissionParts {
  /** What the next records are received with. */
  readonly receipt: () => Receipt;
  /** Stores records and answers after the commit. */
  readonly store: (batch: SentBatch) => Promise<PartOutcome>;
  /** Told how many records were worked on. */
  readonly onPrepared: (records: number) => void;
  /** Takes bytes for what is read and what will be answered of it; throws where there is no room for them. */
  readonly hold: (bytes: number) => void;
}

/** What a value takes as long as it is not answered, and also what its refusal by the store takes in the answer. */
const VALUE_BYTES = 256;

/** Records of one body that are stored in one transaction; a longer body that comes in parts is stored in several. */
const PART_RECORDS = 10_000;
/** A body that was begun waits for room this often and this long, before it is refused like one that was not. */
const ROOM_TRIES = 100;
const ROOM_WAIT_MS = 100;

const REFUSALS = {
  foreign: { path: 'server', message: 'belongs to another project than the key', code: 'foreign_server' },
  expired: TOO_OLD,
} as const;

/**
 * What one sender sends at a time, taken in parts. It is answered as one: after the commit of all of it, with the records that
 * could not be read by their index among all.
 */
export class Submission {
  readonly #parts: SubmissionParts;
  readonly #origin: BatchOrigin | null;
  /** What could not be read, in order. */
  readonly #unreadable: Rejection[] = [];
  readonly #refused: Rejection[] = [];
  #records: RecordToStore[] = [];
  /** What was rejected since the last part began to be stored. */
  #rejected: RejectedRecord[] = [];
  #receivedAt: number;
  readonly #project: number | null;
  #values = 0;
  #prepared = 0;
  #accepted = 0;
  /** The part that is being stored; at most one, so that a body holds at most two parts in memory. */
  #storing: Promise<void> | null = null;

  constructor(parts: SubmissionParts, origin: BatchOrigin | null) {
    this.#parts = parts;
    const { at, project } = parts.receipt();
    // A clock that is not believed dates nothing, as it would no record.
    this.#origin = origin === null || isBelieved(origin.began, at) ? origin : { ...origin, began: null };
    this.#receivedAt = at;
    this.#project = project;
  }

  /** Reads and judges values that follow those before. */
  add({ values, unreadable }: Batch, from = 0, to = values.length): void {
    const receipt = this.#parts.receipt();
    this.#receivedAt = receipt.at;
    this.#parts.hold((to - from) * VALUE_BYTES);
    for (let at = from; at < to; at++) {
      const index = this.#values++;
      const problem = unreadable.get(at);
      const prepared = problem === undefined ? prepareRecord(values[at], receipt) : null;
      if (prepared?.ok === true) this.#records.push(prepared.value);
      else {
        const rejection = { index, ...(prepared?.error ?? { path: '', message: problem ?? '' }) };
        this.#parts.hold(Buffer.byteLength(JSON.stringify(rejection)));
        this.#unreadable.push(rejection);
        this.#rejected.push(rejectedRecord(values[at], receipt));
      }
    }
    this.#parts.onPrepared(to - from);
  }

  /**
   * Begins to store what was added once it is a part; null while it is less. What is answered is to be waited for before more
   * is added. A numbered batch is stored as a whole: its number says that all of it came.
   */
  storeParts(): Promise<void> | null {
    if (this.#origin !== null || this.#records.length < PART_RECORDS) return null;
    const batch = this.#takeBatch();
    const before = this.#storing;
    const storing = (before ?? Promise.resolve()).then(() => this.#storePart(batch));
    // Whoever adds or finishes next waits for it and is told.
    storing.catch(() => undefined);
    this.#storing = storing;
    return before;
  }

  /** Stores the rest; resolves after the commit of everything. */
  async finish(): Promise<IntakeResult> {
    const batch = this.#takeBatch();
    const isBegun = this.#storing !== null;
    await this.#storing;
    if (isBegun) await this.#storePart(batch);
    else if (hasToBeStored(batch)) await this.#store(batch);
    return {
      accepted: this.#accepted,
      duplicate: this.#prepared - this.#accepted - this.#refused.length,
      rejected: [...this.#unreadable, ...this.#refused].sort((a, b) => a.index - b.index),
    };
  }

  #takeBatch(): SentBatch {
    const batch = {
      project: this.#project,
      origin: this.#origin,
      receivedAt: this.#receivedAt,
      records: this.#records,
      rejected: this.#rejected,
    };
    this.#records = [];
    this.#rejected = [];
    return batch;
  }

  /** Part of the body is stored already or will be: the rest waits for room rather than be refused. */
  async #storePart(batch: SentBatch): Promise<void> {
    if (!hasToBeStored(batch)) return;
    for (let tries = 1; ; tries++) {
      try {
        await this.#store(batch);
        return;
      } catch (cause) {
        const isFull = cause instanceof IntakeRefusal && cause.code === 'intake_full';
        if (!isFull || this.#prepared === 0 || tries === ROOM_TRIES) throw cause;
        await new Promise((resolve) => setTimeout(resolve, ROOM_WAIT_MS));
      }
    }
  }

  async #store(batch: SentBatch): Promise<void> {
    const { stored, refused } = await this.#parts.store(batch);
    const { records } = batch;
    if (refused.size > 0) this.#rejectRefused(records, refused);
    this.#accepted += stored;
    this.#prepared += records.length;
  }

  /** Rejects some of the records that follow those prepared so far. Among the values, what could not be read stands in between. */
  #rejectRefused(records: readonly RecordToStore[], refused: PartOutcome['refused']): void {
    let index = this.#prepared;
    let skipped = 0;
    for (const record of records) {
      while ((this.#unreadable[skipped]?.index ?? Number.POSITIVE_INFINITY) <= index + skipped) skipped++;
      const why = refused.get(record);
      if (why !== undefined) this.#refused.push({ index: index + skipped, ...REFUSALS[why] });
      index++;
    }
  }
}

function hasToBeStored({ origin, records, rejected }: SentBatch): boolean {
  return origin !== null || records.length > 0 || rejected.length > 0;
}
