import { parsePosition } from '@/lib/base/position';
import type { PositionRange } from '@/lib/base/ranges';

/** Ranges of validated JSON positions as integers. */
export function toRanges(ranges: readonly (readonly [unknown, unknown])[] | undefined): PositionRange[] {
  return (ranges ?? []).map(([first, last]) => ({ first: parsePosition(first) ?? 0n, last: parsePosition(last) ?? 0n }));
}
