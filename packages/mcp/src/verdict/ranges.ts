import type { LogFacts, PositionRange } from './facts.js';

/** The last of sorted ranges that begins at or below `position`. */
export function lastFrom(ranges: readonly PositionRange[], position: bigint): PositionRange | undefined {
  return ranges.findLast((range) => range.first <= position);
}

/** Whether any position of `[first, last]` lies in the sorted, disjoint ranges. */
export function touches(ranges: readonly PositionRange[], first: bigint, last: bigint): boolean {
  const range = lastFrom(ranges, last);
  return range !== undefined && range.last >= first;
}

/** Every position in `(cursor, head]` that is not retained: below the floor, then the holes; null when none is. */
export function missingAfter(log: LogFacts, cursor: bigint): { ranges: PositionRange[]; count: bigint } | null {
  const next = cursor + 1n;
  const ranges: PositionRange[] = next < log.floor ? [{ first: next, last: log.floor - 1n }] : [];
  const from = next > log.floor ? next : log.floor;
  for (const hole of log.holes) {
    const first = hole.first > from ? hole.first : from;
    const last = hole.last < log.head ? hole.last : log.head;
    if (first > last) continue;
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.last + 1n === first) ranges[ranges.length - 1] = { first: previous.first, last };
    else ranges.push({ first, last });
  }
  const count = ranges.reduce((sum, range) => sum + range.last - range.first + 1n, 0n);
  return count === 0n ? null : { ranges, count };
}
