/** Who sends a batch and which of its batches it is, so that one that never arrives is known to be missing. */
export interface BatchOrigin {
  /** Name of the sending process. */
  readonly producer: string;
  /** One start of the producer. */
  readonly epoch: string;
  /** From 1, rising by one with every batch of the epoch. A batch that is sent again keeps its number. */
  readonly sequence: number;
  /** Records given up since the epoch began, in all. */
  readonly dropped: number;
}

/** Records that are sent, acknowledged or given up together. */
export interface Batch {
  readonly origin: BatchOrigin;
  /** JSON texts of the records, in order. */
  readonly lines: readonly string[];
}

/** What became of one sending of a batch. */
export type SendOutcome =
  | { readonly kind: 'stored'; readonly rejected: number; readonly firstProblem: string | null }
  /** `isAway`: the intake was not there to judge the batch, so the batch is not at fault. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly isAway: boolean; readonly message: string }
  | { readonly kind: 'too_large' }
  /** The key is not taken: nothing will be until an operator acts. */
  | { readonly kind: 'unauthorized'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/** A way to the intake. */
export interface Transport {
  /** Batches that may be under way at a time. */
  readonly window: number;
  /** Sends one batch. Never throws and always ends: every failure is an outcome. */
  send(batch: Batch, signal: AbortSignal): Promise<SendOutcome>;
  close(): void;
}

/** How a status of the intake is to be taken, over either transport. */
export function outcomeOfStatus(status: number, afterMs: number, message: string): SendOutcome {
  if (status === 413) return { kind: 'too_large' };
  if (status === 401 || status === 403) return { kind: 'unauthorized', message };
  if (status === 429 || (status >= 502 && status <= 504)) return { kind: 'retry', afterMs, isAway: true, message };
  if (status >= 500 || status === 408) return { kind: 'retry', afterMs, isAway: false, message };
  return { kind: 'refused', message };
}

/** What the intake could not read of a batch that it stored. */
export function rejectionsIn(answer: unknown): { rejected: number; firstProblem: string | null } {
  const rejected = answer !== null && typeof answer === 'object' && 'rejected' in answer ? answer.rejected : null;
  if (!Array.isArray(rejected) || rejected.length === 0) return { rejected: 0, firstProblem: null };
  return { rejected: rejected.length, firstProblem: JSON.stringify(rejected[0]).slice(0, 200) };
}
