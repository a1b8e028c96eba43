/** What the telemetry of an instrumented upstream last told of a session's numbering, as far as its log took note. */
export interface Told {
  /** Label of the upstream's own; compared for equality only. */
  readonly generation: string;
  /** Process that it was told of; null when the records do not name it. */
  readonly node: string | null;
  /** Epoch milliseconds on the clock of that process. */
  readonly at: number;
  /** Place of the record among all that was stored: rises with its receipt. */
  readonly place: number;
}
