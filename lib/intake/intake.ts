import type { Result } from '@/lib/base/result';
import { ByteBudget } from '@/lib/http/byte-budget';
import type { BatchOrigin } from '@/lib/intake/batch-origin';
import { type Batch, type BatchProblem, jsonBatchSteps } from '@/lib/intake/batch-text';
import { type CommitLimits, CommitQueue, IntakeRefusal, type StoreGroup } from '@/lib/intake/commit-queue';
import { inTurns } from '@/lib/intake/in-turns';
import { LineReader } from '@/lib/intake/line-reader';
import { Pace, type Turn } from '@/lib/intake/pace';
import { DEFAULT_SERVER, type Receipt } from '@/lib/intake/prepare-record';
import { OWN_SENDER, type Sender } from '@/lib/intake/sender';
import { type IntakeResult, type PartOutcome, Submission, type SubmissionParts } from '@/lib/intake/submission';
import { databaseTrouble, TROUBLES } from '@/lib/store/database-trouble';
import type { RecordToStore, SentBatch, StoreOutcome } from '@/lib/store/record-to-store';

export interface IntakeParts {
  readonly store: StoreGroup;
  readonly sessionRef: Receipt['sessionRef'];
  readonly now: () => number;
  /** Records before it are refused; epoch milliseconds. */
  readonly oldestMs?: () => number;
  /** Told of every commit: the records that are newly stored. Must not throw. */
  readonly onStored: (records: readonly RecordToStore[]) => void;
}

const LIMITS: CommitLimits = {
  recordsMax: 200_000,
  charsMax: 128 * 1024 * 1024,
  groupMax: 10_000,
  flightsMax: 2,
  besideMin: 800,
  besideMs: 50,
};

const DISK_FULL_MS = 10_000;
/** Values of long arrays that are being read or wait, of all senders: some 50 bytes of memory each, where the text took three. */
const HELD_VALUES_MAX = 10_000_000;
/** No name is longer. */
const SERVER_CHARS_MAX = 256;
/** Records of one batch that are worked on at a time. */
const SLICE_RECORDS = 256;

/** A body that is no batch of records. */
export class BatchProblemError extends Error {
  override readonly name = 'BatchProblemError';

  constructor(readonly problem: BatchProblem) {
    super(problem.message);
  }
}

function readable(batch: Result<Batch, BatchProblem>): Batch {
  if (!batch.ok) throw new BatchProblemError(batch.error);
  return batch.value;
}

const ignore = (): void => undefined;

/** Takes bytes for what is read and will be answered; throws where there is no room for them. */
type Hold = SubmissionParts['hold'];

/** The server that a value says it is of, before anything else of it is read. */
function serverOf(value: unknown): string {
  const server = value !== null && typeof value === 'object' ? (value as { server?: unknown }).server : undefined;
  return typeof server === 'string' ? server.slice(0, SERVER_CHARS_MAX) : DEFAULT_SERVER;
}

/** Takes telemetry from every door: decodes and judges each record, and stores the batch in group commits. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #queue: CommitQueue;
  readonly #pace = new Pace();
  readonly #values = new ByteBudget(HELD_VALUES_MAX);
  /** Of each sender and server, resolves when the last batch that was handed over is queued. */
  readonly #lastQueued = new Map<string, Promise<void>>();
  #lastArrival = 0;
  #diskFullAtMs: number | null = null;

  constructor(parts: IntakeParts, limits: Partial<CommitLimits> = {}) {
    this.#parts = parts;
    this.#queue = new CommitQueue(parts.store, (cause) => databaseTrouble(cause) !== null, { ...LIMITS, ...limits });
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
   * named in the result, as are those of servers that the sender may not report for, and the rest is stored.
   *
   * @throws IntakeRefusal when the intake is full, closing, or the database cannot serve: then the caller must
   * send again, and records with an id are stored once all the same.
   */
  async submit(values: readonly unknown[], sender = OWN_SENDER): Promise<IntakeResult> {
    return this.submitBatch({ values, unreadable: new Map() }, null, sender);
  }

  /**
   * The same for a parsed body, some of whose lines may be no JSON. A numbered batch is noted in the transaction
   * of its records, even where none of them could be read. Batches of one sender that begin with a record of the same server are
   * queued in the order of the calls; all others do not wait while a large one is read.
   */
  async submitBatch(batch: Batch, origin: BatchOrigin | null = null, sender = OWN_SENDER, hold: Hold = ignore): Promise<IntakeResult> {
    const turn = { sender: sender.id, party: serverOf(batch.values[0]) };
    const giveRoom = this.#queue.reserve(turn.sender, turn.party, batch.values.length);
    const submission = this.#begin(origin, sender, hold);
    const finish = () => {
      // What was read takes its own room in the same turn.
      giveRoom();
      return { answer: submission.finish() };
    };
    const giveUp = (cause: unknown) => {
      giveRoom();
      throw cause;
    };
    const line = JSON.stringify(turn);
    const before = this.#lastQueued.get(line) ?? Promise.resolve();
    // The commit is waited for by the caller, not by the batch that comes next.
    const queued = before.then(() => this.#prepare(submission, batch, turn)).then(finish, giveUp);
    const isQueued = queued.then(ignore, ignore);
    this.#lastQueued.set(line, isQueued);
    void isQueued.then(() => {
      if (this.#lastQueued.get(line) === isQueued) this.#lastQueued.delete(line);
    });
    return (await queued).answer;
  }

  /**
   * Reads and stores a JSON body, one record or an array, whole or not at all. Senders share the values that may be held at a time.
   *
   * @throws BatchProblemError where the text is no such body; IntakeRefusal as `submit` does; whatever `hold` throws
   */
  async submitText(text: string, origin: BatchOrigin | null, sender = OWN_SENDER, hold: Hold = ignore): Promise<IntakeResult> {
    const held = this.#values.lease(sender.id);
    const holdValues = (values: number): void => {
      if (!held.take(values)) throw new IntakeRefusal('intake_full', 'too much is being read at a time');
    };
    try {
      return await this.submitBatch(readable(await inTurns(jsonBatchSteps(text, holdValues))), origin, sender, hold);
    } finally {
      held.release();
    }
  }

  /**
   * Stores newline-delimited JSON as it arrives: `take` is given its chunks and answers with what is to be waited for before the
   * next one, `finish` resolves after the commit of everything. A body of more records than one transaction takes is stored in
   * several: when it is refused half-way, what came before may be stored.
   *
   * @throws BatchProblemError where the bytes are no such body; IntakeRefusal as `submit` does; whatever `hold` throws
   */
  lines(
    origin: BatchOrigin | null,
    sender = OWN_SENDER,
    hold: Hold = ignore,
  ): { take: (chunk: Buffer) => Promise<void> | null; finish: () => Promise<IntakeResult> } {
    const submission = this.#begin(origin, sender, hold);
    const reader = new LineReader();
    const turn = { sender: sender.id, party: '' };
    return {
      take: (chunk) =>
        this.#pace.run(() => {
          submission.add(readable(reader.push(chunk)));
          return submission.storeParts();
        }, turn),
      finish: async () => {
        await this.#pace.run(() => {
          submission.add(readable(reader.end()));
          return null;
        }, turn);
        return submission.finish();
      },
    };
  }

  /** Takes nothing more and drains. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #begin(origin: BatchOrigin | null, sender: Sender, hold: Hold): Submission {
    return new Submission(
      {
        receipt: () => this.#receipt(sender, origin !== null),
        store: (batch) => this.#storeAndTell(batch, sender.id),
        onPrepared: (records) => this.#pace.spend(records),
        hold,
      },
      origin,
    );
  }

  /** A slice per turn, so that others are served in between. */
  async #prepare(submission: Submission, batch: Batch, turn: Turn): Promise<void> {
    const count = batch.values.length;
    for (let from = 0; from < count; from += SLICE_RECORDS) {
      await this.#pace.run(() => {
        submission.add(batch, from, Math.min(from + SLICE_RECORDS, count));
        return null;
      }, turn);
    }
  }

  #receipt({ project }: Sender, isNumbered: boolean): Receipt {
    const at = this.#parts.now();
    return {
      at,
      nextArrival: () => this.#nextArrival(at),
      sessionRef: this.#parts.sessionRef,
      project,
      isNumbered,
      ...(this.#parts.oldestMs === undefined ? {} : { oldestMs: this.#parts.oldestMs() }),
    };
  }

  /** Microseconds of the clock, or one more than the last: rises within the process, and across restarts as clocks do. */
  #nextArrival(nowMs: number): number {
    this.#lastArrival = Math.max(this.#lastArrival + 1, nowMs * 1000);
    return this.#lastArrival;
  }

  async #storeAndTell(batch: SentBatch, sender: string): Promise<PartOutcome> {
    const { records } = batch;
    const { duplicates, refused } = await this.#store(batch, sender);
    const isWhole = duplicates.size === 0 && refused.size === 0;
    const stored = isWhole ? records : records.filter((record) => !duplicates.has(record) && !refused.has(record));
    if (stored.length > 0) this.#parts.onStored(stored);
    return { stored: stored.length, refused };
  }

  async #store(batch: SentBatch, sender: string): Promise<StoreOutcome> {
    try {
      const outcome = await this.#queue.submit(batch.records, batch, sender);
      this.#diskFullAtMs = null;
      return outcome;
    } catch (cause) {
      const trouble = databaseTrouble(cause);
      if (trouble === null) throw cause;
      if (trouble === 'disk_full') this.#diskFullAtMs = this.#parts.now();
      throw new IntakeRefusal(trouble, TROUBLES[trouble], { cause });
    }
  }
}
