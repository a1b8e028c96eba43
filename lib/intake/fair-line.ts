/** What waits: for whom, and how many records it is. */
export interface Waiting {
  readonly party: string;
  readonly records: { readonly length: number };
}

/**
 * A line in which parties take turns: one of each in rotation, and of one party in the order of their coming. However
 * much one of them sends, what another sends waits for one turn of each and no longer.
 */
export class FairLine<T extends Waiting> {
  /** By party, in the order of their next turn. */
  readonly #lines = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  push(item: T): void {
    const line = this.#lines.get(item.party);
    if (line === undefined) this.#lines.set(item.party, [item]);
    else line.push(item);
  }

  /** Takes what goes next, up to `recordsMax` records, or a single item that is larger. */
  take(recordsMax: number): T[] {
    const taken: T[] = [];
    let records = 0;
    for (;;) {
      const [turn] = this.#lines;
      const item = turn?.[1][0];
      if (turn === undefined || item === undefined) return taken;
      if (taken.length > 0 && records + item.records.length > recordsMax) return taken;
      taken.push(item);
      records += item.records.length;
      this.#pass(...turn);
    }
  }

  /** The party whose turn it was goes to the end of the rotation, if it has more. */
  #pass(party: string, line: T[]): void {
    this.#lines.delete(party);
    line.shift();
    if (line.length > 0) this.#lines.set(party, line);
  }
}
