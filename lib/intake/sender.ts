/** Who sends telemetry. */
export interface Sender {
  /** Whose share of the intake it takes: that of the key, whatever its label. */
  readonly id: string;
  /** Id of the project whose servers it may send records of; null for a sender without a key, who may of any. */
  readonly project: number | null;
}

/** This machine's own programs, the proxy among them. */
export const OWN_SENDER: Sender = { id: '', project: null };
