/** Bytes that may be held at a time, shared by all requests of a process. */
export class ByteBudget {
  #free: number;

  constructor(bytesMax: number) {
    this.#free = bytesMax;
  }

  /** A share of the budget that starts empty. */
  lease(): ByteLease {
    let held = 0;
    return {
      take: (bytes) => {
        if (bytes > this.#free) return false;
        this.#free -= bytes;
        held += bytes;
        return true;
      },
      release: () => {
        this.#free += held;
        held = 0;
      },
    };
  }
}

export interface ByteLease {
  /** Takes more, or says that there is no more. */
  readonly take: (bytes: number) => boolean;
  /** Gives everything taken back. */
  readonly release: () => void;
}
