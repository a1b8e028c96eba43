import { POSITION_MAX, parsePosition } from '@/lib/base/position';

/** Longest number read out of an id: positions have at most 19 digits. */
const DIGITS_MAX = 19;

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 48 && code <= 57;
}

/** An event id read as a fixed text around one integer; ids are of one shape when their labels are equal. */
export interface IdShape {
  /** What surrounds the integer; a NUL stands in its place. */
  readonly label: string;
  readonly number: bigint;
}

const SEPARATORS = '_:-/@.';
const HAS_DIGIT = /\d/;
const ALL_DIGITS = /^\d{1,19}$/;

/**
 * Recognises the integer of an id that carries one: `41`, `E_1042`, `_41`, `A:41`, `e7`, `3f25…-41`, and `4/17`
 * where the index comes first. Null for any other text. A number alone proves no order: the caller trusts it
 * only while every id of one numbering has one label and no number contradicts the order of emission.
 */
export function readIdShape(id: string): IdShape | null {
  let start = id.length;
  while (start > 0 && isDigit(id, start - 1)) start--;
  const digits = id.slice(start);
  if (digits === '' || (start > 0 && digits.length > DIGITS_MAX)) return null;
  if (start === 0) return shapeOf('\0', parsePosition(id));
  const before = id.slice(0, start);
  const index = before.endsWith('/') ? before.slice(0, -1) : '';
  if (ALL_DIGITS.test(index)) return shapeOf(`\0/${digits}`, BigInt(index));
  const isPart = SEPARATORS.includes(before.slice(-1)) || !HAS_DIGIT.test(before);
  return isPart ? shapeOf(`${before}\0`, BigInt(digits)) : null;
}

function shapeOf(label: string, number: bigint | null): IdShape | null {
  return number === null || number > POSITION_MAX ? null : { label, number };
}

/** A numbered series of ids: `prefix`, a number, `suffix`. `width` 0: no leading zeros; else zero-padded to it. */
export interface IdSeries {
  readonly prefix: string;
  readonly suffix: string;
  readonly width: number;
}

/** The id of a series with this number. */
export function idOf(series: IdSeries, number: bigint): string {
  const digits = number.toString();
  return series.prefix + (series.width === 0 ? digits : digits.padStart(series.width, '0')) + series.suffix;
}

/** The number of `text` in a series, null when it is not of it. */
export function numberIn(series: IdSeries, text: string): bigint | null {
  const length = text.length - series.prefix.length - series.suffix.length;
  if (length < 1 || length > DIGITS_MAX || !text.startsWith(series.prefix) || !text.endsWith(series.suffix)) return null;
  for (let i = series.prefix.length; i < series.prefix.length + length; i++) if (!isDigit(text, i)) return null;
  const isPadded = length > 1 && text.charCodeAt(series.prefix.length) === 48;
  if (series.width === 0 ? isPadded : length < series.width || (isPadded && length !== series.width)) return null;
  return BigInt(text.slice(series.prefix.length, series.prefix.length + length));
}

/** The series in which `next` follows `previous` by exactly one, null when there is none. */
export function successorSeries(previous: string, next: string): { series: IdSeries; number: bigint } | null {
  if (previous === next) return null;
  const start = numberStart(previous, next);
  const before = digitsFrom(previous, start);
  const after = digitsFrom(next, start);
  const suffix = previous.slice(start + before.length);
  if (suffix !== next.slice(start + after.length) || !isNextNumber(before, after)) return null;
  const isPadded = (before.length > 1 && before.startsWith('0')) || (after.length > 1 && after.startsWith('0'));
  if (isPadded && before.length !== after.length) return null;
  return { series: { prefix: previous.slice(0, start), suffix, width: isPadded ? before.length : 0 }, number: BigInt(before) };
}

/** Where the number begins in which two ids first differ. */
function numberStart(previous: string, next: string): number {
  let start = 0;
  while (start < previous.length && previous.charCodeAt(start) === next.charCodeAt(start)) start++;
  while (start > 0 && isDigit(previous, start - 1)) start--;
  return start;
}

function isNextNumber(before: string, after: string): boolean {
  if (before === '' || after === '' || before.length > DIGITS_MAX || after.length > DIGITS_MAX) return false;
  return BigInt(after) === BigInt(before) + 1n;
}

function digitsFrom(text: string, start: number): string {
  let end = start;
  while (end < text.length && isDigit(text, end)) end++;
  return text.slice(start, end);
}
