import type { Decision, Reason } from '../verdict/facts.js';

/** A resume that the log cannot serve whole. Nothing was replayed. */
export class ResumeGapError extends Error {
  override readonly name = 'ResumeGapError';
  readonly code = 'resume_unavailable';

  constructor(
    readonly reason: Exclude<Reason, 'ok'>,
    readonly decision: Decision,
    /** Event id of the oldest event still retained on the cursor's stream; null when none is, or the stream is not known. */
    readonly earliestRetainedId: string | null,
  ) {
    const missing = decision.gap === null ? '' : `, ${decision.gap.count} events are missing`;
    const earliest = earliestRetainedId === null ? 'nothing is retained' : `the earliest retained event is ${earliestRetainedId}`;
    super(`resume unavailable, ${reason}${missing}; ${earliest}; the client must initialize again`);
  }
}
