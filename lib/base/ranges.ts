/** Inclusive range of positions; `first <= last`. */
export interface PositionRange {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The parts of sorted, disjoint `ranges` that lie inside `[first, last]`. Linear in the number of ranges.
 */
export function clipRanges(ranges: readonly PositionRange[], first: bigint, last: bigint): PositionRange[] {
  const clipped: PositionRange[] = [];
  for (const range of ranges) {
    if (range.last < first) continue;
    if (range.first > last) break;
    clipped.push(
      range.first >= first && range.last <= last
        ? range
        : { first: range.first < first ? first : range.first, last: range.last > last ? last : range.last },
    );
  }
  return clipped;
}

/** How many positions the disjoint `ranges` hold. */
export function countPositions(ranges: readonly PositionRange[]): bigint {
  let count = 0n;
  for (const range of ranges) count += range.last - range.first + 1n;
  return count;
}

/** Sorts and joins ranges that touch or overlap. */
export function mergeRanges(ranges: readonly PositionRange[]): PositionRange[] {
  const sorted = [...ranges].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const merged: PositionRange[] = [];
  for (const range of sorted) {
    const previous = merged.at(-1);
    if (previous !== undefined && range.first <= previous.last + 1n) {
      if (range.last > previous.last) merged[merged.length - 1] = { first: previous.first, last: range.last };
    } else merged.push(range);
  }
  return merged;
}

/** The last of sorted `ranges` that begins at or below `position`, null when none does. */
export function lastRangeFrom(ranges: readonly PositionRange[], position: bigint): PositionRange | null {
  for (let i = ranges.length - 1; i >= 0; i--) {
    const range = ranges[i];
    if (range !== undefined && range.first <= position) return range;
  }
  return null;
}
