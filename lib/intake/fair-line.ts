/** What waits: who sent it, for whom, and how many records it is. */
export interface Waiting {
  readonly sender: string;
  readonly party: string;
  readonly records: { readonly length: number };
}

/**
 * A line in which senders take turns, and among what one sends the parties it sends for: one item of each in rotation, and of one
 * party in the order of their coming. However much one of them sends, what another sends waits for one turn of each and no longer.
 */
export class FairLine<T extends Waiting> {
  /** By sender, then by party, each in the order of their next turn. */
  readonly #lines = new Map<string, Map<string, T[]>>();

  #records = 0;

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Records that wait, in all. */
  get records(): number {
    return this.#records;
  }

  push(item: T): void {
    this.#records += item.records.length;
    const parties = this.#lines.get(item.sender);
    const line = parties?.get(item.party);
    if (line !== undefined) line.push(item);
    else if (parties !== undefined) parties.set(item.party, [item]);
    else this.#lines.set(item.sender, new Map([[item.party, [item]]]));
  }

  /** Takes what goes next, up to `recordsMax` records, or a single item that is larger. */
  take(recordsMax: number): T[] {
    const taken: T[] = [];
    let records = 0;
    for (;;) {
      const [turn] = this.#lines;
      const [within] = turn?.[1] ?? [];
      const item = within?.[1][0];
      if (turn === undefined || within === undefined || item === undefined) return taken;
      if (taken.length > 0 && records + item.records.length > recordsMax) return taken;
      taken.push(item);
      records += item.records.length;
      this.#records -= item.records.length;
      within[1].shift();
      pass(turn[1], within[0], within[1].length > 0);
      pass(this.#lines, turn[0], turn[1].size > 0);
    }
  }
}

/** Whose turn it was goes to the end of the rotation, if it has more. */
function pass<T>(rotation: Map<string, T>, name: string, hasMore: boolean): void {
  const own = rotation.get(name);
  rotation.delete(name);
  if (hasMore && own !== undefined) rotation.set(name, own);
}
