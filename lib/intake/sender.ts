/** Who sends telemetry. */
export interface Sender {
  /** Whose share of the intake it takes: the name of the key. */
  readonly name: string;
  /** Id of the project whose servers it may send records of; null for a sender without a key, who may of any. */
  readonly project: number | null;
}

/** This machine's own programs, the proxy among them. */
export const OWN_SENDER: Sender = { name: '', project: null };
