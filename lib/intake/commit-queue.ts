import { FairLine } from '@/lib/intake/fair-line';
import { OWN_SENDER } from '@/lib/intake/sender';
import { type Load, Shares } from '@/lib/intake/shares';
import type { DatabaseTrouble } from '@/lib/store/database-trouble';
import type { RecordToStore, SentBatch, StoreOutcome } from '@/lib/store/record-to-store';

/** Stores a group in one transaction: its records, and the batches that they came in. */
export type StoreGroup = (records: readonly RecordToStore[], batches: readonly SentBatch[]) => Promise<StoreOutcome>;

/** The intake cannot take records now; nothing of the submission was stored, or it cannot be known. */
export class IntakeRefusal extends Error {
  override readonly name = 'IntakeRefusal';

  constructor(
    readonly code: 'intake_full' | DatabaseTrouble | 'shutting_down',
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
  /** While a transaction is in flight, another one begins for this many records, or once the first of fewer has waited this long. */
  readonly besideMin: number;
  readonly besideMs: number;
}

/** One key may hold three quarters of the queue: most installations have a single one, and many servers behind it. */
const SENDER_MULTIPLE = 3;

interface Submission {
  /** Who sent it: senders share the queue first, and what one sends is shared by its servers. */
  readonly sender: string;
  /** Whose share of the queue it takes: the server that its first record is of. */
  readonly party: string;
  readonly records: readonly RecordToStore[];
  readonly batch: SentBatch | null;
  readonly load: Load;
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Group commit: submissions that wait while transactions are in flight go out together in the next one. The
 * queue is bounded and refuses when full; a submission is answered only after its transaction committed. Senders (their keys)
 * and servers share the queue and take turns in it, so that a noisy one is refused first and a quiet one does not wait for it.
 */
export class CommitQueue {
  readonly #store: StoreGroup;
  readonly #isTrouble: (cause: unknown) => boolean;
  readonly #limits: CommitLimits;
  readonly #waiting = new FairLine<Submission>();
  readonly #senders: Shares;
  readonly #shares: Shares;
  #flights = 0;
  #isScheduled = false;
  /** Runs while fewer records wait than are worth a transaction beside the one in flight. */
  #gathering: NodeJS.Timeout | null = null;
  #isOverdue = false;
  #isClosed = false;
  #idle: (() => void)[] = [];

  /** @param isTrouble whether the store failed for want of a database, rather than because of what it was given. */
  constructor(store: StoreGroup, isTrouble: (cause: unknown) => boolean, limits: CommitLimits) {
    this.#store = store;
    this.#isTrouble = isTrouble;
    this.#limits = limits;
    const room = { records: limits.recordsMax, chars: limits.charsMax };
    this.#senders = new Shares(room, SENDER_MULTIPLE);
    this.#shares = new Shares(room);
  }

  /** Records that are being read, wait or are in flight. */
  get depth(): number {
    return this.#shares.records;
  }

  /**
   * Resolves after the commit.
   *
   * @throws IntakeRefusal when full or closed; otherwise whatever the store threw.
   */
  submit(records: readonly RecordToStore[], batch: SentBatch | null = null, sender = OWN_SENDER.id): Promise<StoreOutcome> {
    if (this.#isClosed) throw new IntakeRefusal('shutting_down', 'the intake is shutting down');
    const party = records[0]?.server ?? '';
    const load = { records: records.length, chars: records.reduce((sum, record) => sum + record.body.length, 0) };
    this.#takeRoom(sender, party, load);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sender, party, records, batch, load, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Takes room for records of a sender before work goes into them, so that what is being read counts as well. The answer gives it
   * back; what the work came to takes its own right after.
   *
   * @throws IntakeRefusal when there is none
   */
  reserve(sender: string, party: string, records: number): () => void {
    if (this.#isClosed) throw new IntakeRefusal('shutting_down', 'the intake is shutting down');
    const load = { records, chars: 0 };
    this.#takeRoom(sender, party, load);
    return () => this.#giveRoom(sender, party, load);
  }

  #takeOfSender(sender: string, load: Load): void {
    const ofSender = this.#senders.take(sender, load);
    if (ofSender === 'full') throw new IntakeRefusal('intake_full', 'the intake is full');
    if (ofSender === 'share_full') throw new IntakeRefusal('intake_full', 'this key has its share of the intake already');
  }

  #takeRoom(sender: string, party: string, load: Load): void {
    this.#takeOfSender(sender, load);
    if (this.#shares.take(party, load) === 'taken') return;
    this.#senders.give(sender, load);
    throw new IntakeRefusal('intake_full', 'this server has its share of the intake already');
  }

  #giveRoom(sender: string, party: string, load: Load): void {
    this.#senders.give(sender, load);
    this.#shares.give(party, load);
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
      while (this.#mayFly()) void this.#fly(this.#waiting.take(this.#limits.groupMax));
    });
  }

  /**
   * A transaction costs what some hundred records do, and what it adds to the rollups is less per record the more of them it
   * holds: the few that came while one is in flight wait for more, but not for long.
   */
  #mayFly(): boolean {
    const { flightsMax, besideMin, besideMs } = this.#limits;
    if (this.#waiting.isEmpty || this.#flights >= flightsMax) return false;
    if (this.#flights === 0 || this.#isOverdue || this.#waiting.records >= besideMin) return true;
    this.#gathering ??= setTimeout(() => {
      this.#isOverdue = true;
      this.#schedule();
    }, besideMs);
    return false;
  }

  #endGathering(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#isOverdue = false;
  }

  async #fly(group: readonly Submission[]): Promise<void> {
    this.#flights++;
    this.#endGathering();
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
    for (const { sender, party, load } of group) {
      this.#giveRoom(sender, party, load);
    }
    if (!this.#waiting.isEmpty) this.#schedule();
    else if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One submission that cannot be stored must not take the others of its group with it. */
  async #flyAlone(group: readonly Submission[]): Promise<void> {
    for (const submission of group) {
      await this.#store(submission.records, batchesOf(submission)).then(submission.resolve, submission.reject);
    }
  }

  #isIdle(): boolean {
    return this.#flights === 0 && this.#waiting.isEmpty;
  }
}

function batchesOf({ batch }: Submission): SentBatch[] {
  return batch === null ? [] : [batch];
}
