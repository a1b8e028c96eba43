/** Something that keeps records from being stored. It never reaches the server that is observed. */
export interface TelemetryProblem {
  /**
   * `unauthorized` and `intake_away` (the intake, or something in its place that is not it) are told once when they begin, `queue_full` when it begins and then at most
   * once a minute; the rest whenever it happens.
   */
  readonly code:
    | 'queue_full'
    | 'delivery_failed'
    | 'batch_refused'
    | 'record_rejected'
    | 'unauthorized'
    | 'intake_away'
    | 'transport_unavailable'
    | 'spool_failed'
    | 'internal';
  readonly message: string;
}

export interface TelemetryStats {
  readonly queued: number;
  readonly sent: number;
  /** Records that were given up: the queue was full, the intake did not take them in time, or the spool was damaged. */
  readonly dropped: number;
  /** Records that the intake could not read. */
  readonly rejected: number;
  /** Records that an earlier start had left in the spool, and lines of it that could not be read, which are among `dropped`. */
  readonly recovered: number;
  readonly corrupt: number;
  /** Records that the spool has for the next start, left there when telemetry was closed. */
  readonly spooled: number;
}
