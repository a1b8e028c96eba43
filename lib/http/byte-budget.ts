/** Bytes that may be held at a time. Nobody may hold more than is free: one noisy party gets half, and there is always room for another. */
export class ByteBudget {
  #free: number;
  readonly #held = new Map<string, number>();

  constructor(bytesMax: number) {
    this.#free = bytesMax;
  }

  /** A part of the party's share that starts empty. */
  lease(party = ''): ByteLease {
    let leased = 0;
    const give = (bytes: number): void => {
      this.#free += bytes;
      const left = (this.#held.get(party) ?? 0) - bytes;
      if (left > 0) this.#held.set(party, left);
      else this.#held.delete(party);
      leased -= bytes;
    };
    return {
      take: (bytes) => {
        const held = this.#held.get(party) ?? 0;
        if (held > this.#free - bytes || bytes > this.#free) return false;
        this.#free -= bytes;
        this.#held.set(party, held + bytes);
        leased += bytes;
        return true;
      },
      give,
      release: () => give(leased),
    };
  }
}

export interface ByteLease {
  /** Takes more, or says that there is no more. */
  readonly take: (bytes: number) => boolean;
  /** Gives back some of what was taken. */
  readonly give: (bytes: number) => void;
  /** Gives everything taken back. */
  readonly release: () => void;
}
