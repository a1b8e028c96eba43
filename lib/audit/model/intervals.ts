import type { PositionRange } from '@/lib/base/ranges';

/** A growing set of positions as sorted, disjoint, non-touching ranges. Appending at the end is O(1). */
export type Intervals = { first: bigint; last: bigint }[];

/** Index of the first range that ends at or after `position`. */
function firstEndingFrom(set: Intervals, position: bigint): number {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = set[middle];
    if (range !== undefined && range.last < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds `[first, last]`, joining what it touches. */
export function addInterval(set: Intervals, first: bigint, last: bigint): void {
  const tail = set.at(-1);
  if (tail === undefined || first > tail.last + 1n) {
    set.push({ first, last });
    return;
  }
  if (first >= tail.first) {
    if (last > tail.last) tail.last = last;
    return;
  }
  const from = firstEndingFrom(set, first - 1n);
  let to = from;
  let low = first;
  let high = last;
  for (; to < set.length; to++) {
    const range = set[to];
    if (range === undefined || range.first > last + 1n) break;
    if (range.first < low) low = range.first;
    if (range.last > high) high = range.last;
  }
  set.splice(from, to - from, { first: low, last: high });
}

export function hasPosition(set: Intervals, position: bigint): boolean {
  const range = set[firstEndingFrom(set, position)];
  return range !== undefined && range.first <= position;
}

/** The part of `set` inside `[first, last]`. */
export function within(set: Intervals, first: bigint, last: bigint): PositionRange[] {
  const inside: PositionRange[] = [];
  if (first > last) return inside;
  for (let i = firstEndingFrom(set, first); i < set.length; i++) {
    const range = set[i];
    if (range === undefined || range.first > last) break;
    inside.push({ first: range.first < first ? first : range.first, last: range.last > last ? last : range.last });
  }
  return inside;
}

/** The part of `ranges` (sorted, disjoint) that is not in `set`. */
export function minus(ranges: readonly PositionRange[], set: Intervals): PositionRange[] {
  if (set.length === 0) return [...ranges];
  const left: PositionRange[] = [];
  for (const range of ranges) {
    let from = range.first;
    for (const taken of within(set, range.first, range.last)) {
      if (taken.first > from) left.push({ first: from, last: taken.first - 1n });
      from = taken.last + 1n;
    }
    if (from <= range.last) left.push({ first: from, last: range.last });
  }
  return left;
}

/** Removes `[first, last]`. */
export function removeInterval(set: Intervals, first: bigint, last: bigint): void {
  const from = firstEndingFrom(set, first);
  const kept: Intervals = [];
  let to = from;
  for (; to < set.length; to++) {
    const range = set[to];
    if (range === undefined || range.first > last) break;
    if (range.first < first) kept.push({ first: range.first, last: first - 1n });
    if (range.last > last) kept.push({ first: last + 1n, last: range.last });
  }
  if (to > from) set.splice(from, to - from, ...kept);
}

/** Forgets everything below `position`. */
export function forgetBelow(set: Intervals, position: bigint): void {
  const first = set[0];
  if (first !== undefined && first.first < position) removeInterval(set, first.first, position - 1n);
}
