/** A numbered family of ids: `prefix`, a number, `suffix`. `width` 0: no leading zeros; else zero-padded to it. */
export interface IdShape {
  readonly prefix: string;
  readonly suffix: string;
  readonly width: number;
}

/** Longest number read out of an id: positions have at most 19 digits. */
const DIGITS_MAX = 19;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** The id of a family with this number. */
export function idOf(shape: IdShape, number: bigint): string {
  const digits = number.toString();
  return shape.prefix + (shape.width === 0 ? digits : digits.padStart(shape.width, '0')) + shape.suffix;
}

/** The number of `text` in a family, null when it is not of it. */
export function numberIn(shape: IdShape, text: string): bigint | null {
  const length = text.length - shape.prefix.length - shape.suffix.length;
  if (length < 1 || length > DIGITS_MAX || !text.startsWith(shape.prefix) || !text.endsWith(shape.suffix)) return null;
  for (let i = shape.prefix.length; i < shape.prefix.length + length; i++) if (!isDigit(text.charCodeAt(i))) return null;
  const isPadded = length > 1 && text.charCodeAt(shape.prefix.length) === 48;
  if (shape.width === 0 ? isPadded : length < shape.width || (isPadded && length !== shape.width)) return null;
  return BigInt(text.slice(shape.prefix.length, shape.prefix.length + length));
}

/** The family in which `next` follows `previous` by exactly one, null when there is none. */
export function successorShape(previous: string, next: string): { shape: IdShape; number: bigint } | null {
  if (previous === next) return null;
  const start = numberStart(previous, next);
  const before = digitsFrom(previous, start);
  const after = digitsFrom(next, start);
  const suffix = previous.slice(start + before.length);
  if (suffix !== next.slice(start + after.length) || !isNextNumber(before, after)) return null;
  const isPadded = (before.length > 1 && before.startsWith('0')) || (after.length > 1 && after.startsWith('0'));
  if (isPadded && before.length !== after.length) return null;
  return { shape: { prefix: previous.slice(0, start), suffix, width: isPadded ? before.length : 0 }, number: BigInt(before) };
}

/** Where the number begins in which two ids first differ. */
function numberStart(previous: string, next: string): number {
  let start = 0;
  while (start < previous.length && previous.charCodeAt(start) === next.charCodeAt(start)) start++;
  while (start > 0 && isDigit(previous.charCodeAt(start - 1))) start--;
  return start;
}

function isNextNumber(before: string, after: string): boolean {
  if (before === '' || after === '' || before.length > DIGITS_MAX || after.length > DIGITS_MAX) return false;
  return BigInt(after) === BigInt(before) + 1n;
}

function digitsFrom(text: string, start: number): string {
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}
