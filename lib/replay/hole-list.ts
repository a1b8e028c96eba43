import type { PositionRange } from '@/lib/base/ranges';

/** Adds a range to a sorted, disjoint list in place and joins what touches it. Logarithmic search, one splice. */
export function addHole(holes: PositionRange[], hole: PositionRange): void {
  const start = indexOfFirst(holes, (range) => range.last >= hole.first - 1n);
  let end = start;
  let { first, last } = hole;
  for (let range = holes[end]; range !== undefined && range.first <= hole.last + 1n; range = holes[end]) {
    if (range.first < first) first = range.first;
    if (range.last > last) last = range.last;
    end += 1;
  }
  holes.splice(start, end - start, { first, last });
}

/** Drops in place what lies below `floor`. */
export function clipHolesBelow(holes: PositionRange[], floor: bigint): void {
  const kept = indexOfFirst(holes, (range) => range.last >= floor);
  holes.splice(0, kept);
  const lowest = holes[0];
  if (lowest !== undefined && lowest.first < floor) holes[0] = { first: floor, last: lowest.last };
}

/** Whether a sorted, disjoint list holds a position. */
export function holdsPosition(ranges: readonly PositionRange[], position: bigint): boolean {
  const range = ranges[indexOfFirst(ranges, ({ last }) => last >= position)];
  return range !== undefined && range.first <= position;
}

function indexOfFirst(holes: readonly PositionRange[], holds: (range: PositionRange) => boolean): number {
  let low = 0;
  let high = holes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = holes[middle];
    if (range !== undefined && holds(range)) high = middle;
    else low = middle + 1;
  }
  return low;
}
