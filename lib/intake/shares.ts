/** What waits for its commit: records, and characters of their bodies. */
export interface Load {
  readonly records: number;
  readonly chars: number;
}

const NOTHING: Load = { records: 0, chars: 0 };

/**
 * A bounded room that parties share. Nobody may hold more than a multiple of what is free: with the multiple 1 one noisy party gets
 * half of it and two get a third each, with 3 one gets three quarters. There is always room for another that comes.
 */
export class Shares {
  readonly #max: Load;
  readonly #held = new Map<string, Load>();
  #all = NOTHING;

  readonly #multiple: number;

  constructor(max: Load, multiple = 1) {
    this.#max = max;
    this.#multiple = multiple;
  }

  get records(): number {
    return this.#all.records;
  }

  /**
   * Takes room for a party and says whether there was. What is larger than the whole room is let in while it is empty:
   * other limits have bounded it already.
   */
  take(party: string, load: Load): 'taken' | 'full' | 'share_full' {
    const held = this.#held.get(party) ?? NOTHING;
    const all = sum(this.#all, load);
    const isEmpty = this.#all.records === 0;
    if (!isEmpty && !fits(all, this.#max)) return 'full';
    // Held and new by this party, against what is free before.
    if (!isEmpty && !fits(sum(all, divided(held, this.#multiple)), this.#max)) return 'share_full';
    this.#all = all;
    this.#held.set(party, sum(held, load));
    return 'taken';
  }

  give(party: string, load: Load): void {
    this.#all = difference(this.#all, load);
    const held = difference(this.#held.get(party) ?? load, load);
    if (held.records > 0 || held.chars > 0) this.#held.set(party, held);
    else this.#held.delete(party);
  }
}

function fits(load: Load, max: Load): boolean {
  return load.records <= max.records && load.chars <= max.chars;
}

function divided({ records, chars }: Load, by: number): Load {
  return { records: records / by, chars: chars / by };
}

function sum(a: Load, b: Load): Load {
  return { records: a.records + b.records, chars: a.chars + b.chars };
}

function difference(a: Load, b: Load): Load {
  return { records: a.records - b.records, chars: a.chars - b.chars };
}
