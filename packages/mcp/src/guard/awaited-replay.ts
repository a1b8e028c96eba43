import type { ReplayReport } from '../attempt-record.js';
import type { ReplaySink } from '../observer.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';

/** The replay that a resume waits for, as its session's store tells of it. */
export class AwaitedReplay implements ReplaySink {
  /** What was known of the cursor when the store was asked for the replay; null before. */
  facts: CursorFacts | null = null;
  /** Null until the store is done with it. */
  report: ReplayReport | null = null;

  constructor(private readonly onBegin: () => void) {}

  get isTaken(): boolean {
    return this.facts !== null || this.report !== null;
  }

  begun(facts: CursorFacts): void {
    this.facts = facts;
    this.onBegin();
  }

  ended(report: ReplayReport): void {
    this.report = report;
    this.facts = report.facts;
  }
}
