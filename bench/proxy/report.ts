export const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Figures of one part, by candidate and name; every round adds one. */
export class Figures<K extends string> {
  private readonly values = new Map<string, number[]>();

  add(kind: K, name: string, value: number): void {
    const key = `${kind}\0${name}`;
    const known = this.values.get(key);
    if (known === undefined) this.values.set(key, [value]);
    else known.push(value);
  }

  of(kind: K, name: string): number {
    return median(this.values.get(`${kind}\0${name}`) ?? []);
  }

  /** Median over the rounds of what one candidate's figure is above another's of the same round. */
  above(kind: K, base: K, name: string): number {
    const others = this.values.get(`${base}\0${name}`) ?? [];
    return median((this.values.get(`${kind}\0${name}`) ?? []).map((value, round) => value - (others[round] ?? Number.NaN)));
  }

  /** Median over the rounds of one candidate's figure divided by another's in the same round. */
  ratio(kind: K, to: K, name: string): number {
    const others = this.values.get(`${to}\0${name}`) ?? [];
    return median((this.values.get(`${kind}\0${name}`) ?? []).map((value, round) => value / (others[round] ?? Number.NaN)));
  }
}

export function sayRow(label: string, ...columns: readonly string[]): void {
  console.log(label.padEnd(18) + columns.map((column) => ` ${column.padStart(11)}`).join(''));
}

let missed = 0;

/** Marks that were missed so far: a run that misses one fails. */
export const marksMissed = (): number => missed;

/** Prints a ratio beside its mark; `atMost` false asks for at least that much. */
export function sayMark(name: string, value: number, mark: number, atMost = true): void {
  const isMet = atMost ? value <= mark : value >= mark;
  if (!isMet) missed++;
  console.log(`${isMet ? 'met ' : 'MISS'} ${name}: ${value.toFixed(2)} (${atMost ? 'at most' : 'at least'} ${mark})`);
}
