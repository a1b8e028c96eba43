import type { JsonPosition } from '@/lib/base/position';

/** A count with separators: `1,284`. Exact at any size. */
export function formatCount(count: JsonPosition | bigint): string {
  return BigInt(count).toLocaleString('en-GB');
}

/** A count that may be short: `≥ 1,284`; as `formatCount` writes it where it is not. */
export function countAtLeast(count: JsonPosition | bigint, isAtLeast: boolean): string {
  return `${isAtLeast ? '≥ ' : ''}${formatCount(count)}`;
}

/** A count with its unit: `1 event`, `9 events`, `2 over-refusals`. */
export function countOf(count: JsonPosition | bigint, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${BigInt(count) === 1n ? one : many}`;
}

/** A share of a whole in per cent, with as many digits as it deserves; null when there is no whole. */
export function formatShare(part: number, whole: number): string | null {
  if (whole === 0) return null;
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.01) return 'under 0.01 %';
  return `${percent.toFixed(percent < 1 ? 2 : percent > 99 ? 2 : 1)} %`;
}

/** Inclusive range in words: `1043 to 1051`, or `1043` for one. Positions are names: no separators. */
export function rangeOf(first: JsonPosition | bigint, last: JsonPosition | bigint): string {
  return String(first) === String(last) ? String(first) : `${first} to ${last}`;
}

/** Names in a sentence: `a`, `a and b`, `a, b and 2 more`. */
export function listOf(names: readonly string[], shown = 2): string {
  if (names.length <= 1) return names[0] ?? '';
  if (names.length <= shown) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
}

/** A duration with three figures that matter: `9.84 ms`, `312 ms`, `1.24 s`. */
export function formatMs(ms: number): string {
  const [value, unit] = ms < 1000 ? [ms, 'ms'] : [ms / 1000, 's'];
  return `${Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 2 })} ${unit}`;
}
