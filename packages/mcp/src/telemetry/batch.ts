/** Who sends a batch and which of its batches it is, so that one that never arrives is known to be missing. */
export interface BatchOrigin {
  /** Name of the sending process. */
  readonly producer: string;
  /** One start of the producer. */
  readonly epoch: string;
  /** When the epoch began, so that what is lost at its beginning can be dated; epoch milliseconds. Null where it is not known any more. */
  readonly began: number | null;
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

/** Batches are made up to this size; a record above it is sent alone. */
export const BATCH_BYTES_MAX = 512 * 1024;

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

/** Answers of the intake are read up to this size; one that rejects every record of a batch stays below it. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * How an answer that says "stored" is to be taken. Only the intake says how many records it accepted: whatever else
 * answers in its place, as a gateway with a page of its own, has stored nothing.
 */
export function outcomeOfStored(answer: unknown, message: string): SendOutcome {
  const { accepted, rejected } = (answer !== null && typeof answer === 'object' ? answer : {}) as Readonly<Record<string, unknown>>;
  if (typeof accepted !== 'number') return { kind: 'retry', afterMs: 0, isAway: true, message };
  if (!Array.isArray(rejected) || rejected.length === 0) return { kind: 'stored', rejected: 0, firstProblem: null };
  return { kind: 'stored', rejected: rejected.length, firstProblem: JSON.stringify(rejected[0]).slice(0, 200) };
}
