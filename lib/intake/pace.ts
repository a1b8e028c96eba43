import { FairLine } from '@/lib/intake/fair-line';

/** Records that are worked on in one turn of the event loop: a few milliseconds, after which others are served. */
const RECORDS_PER_TURN = 256;
const ONE = { length: 1 } as const;

/** Work on records; answers with what has to be waited for before more of it is begun, or null. */
export type Work = () => Promise<void> | null;

/** Whose turn work takes: senders take turns, and the servers that one sends for take turns in its. */
export interface Turn {
  readonly sender: string;
  readonly party: string;
}

interface Waiting extends Turn {
  readonly work: Work;
  /** What the line counts: a piece of work is one. */
  readonly records: { readonly length: 1 };
  readonly resolve: (value: Promise<void> | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Does work on records, a bounded number of them per turn of the event loop: whoever has work waiting takes turns, and that of one
 * server is done in the order in which it is asked for. In between, the transactions under way are fed: a COPY whose next bytes wait for the reading of other batches is idle meanwhile.
 */
export class Pace {
  readonly #waiting = new FairLine<Waiting>();
  #left = RECORDS_PER_TURN;
  #isScheduled = false;

  /** Runs `work` at once when this turn has room, otherwise in a later one. Null when it is done and nothing is to be waited for. */
  run(work: Work, turn: Turn): Promise<void> | null {
    if (this.#left > 0 && this.#waiting.isEmpty) return work();
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ ...turn, work, records: ONE, resolve, reject });
      this.#schedule();
    });
  }

  /** Tells how many records the work that runs has taken. */
  spend(records: number): void {
    this.#left -= records;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#left = RECORDS_PER_TURN;
    while (this.#left > 0) {
      const [next] = this.#waiting.take(1);
      if (next === undefined) return;
      try {
        next.resolve(next.work() ?? undefined);
      } catch (cause) {
        next.reject(cause);
      }
    }
    if (!this.#waiting.isEmpty) this.#schedule();
  }
}
