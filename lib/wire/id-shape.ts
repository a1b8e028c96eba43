import { POSITION_MAX, parsePosition } from '@/lib/base/position';

/** An event id read as a fixed text around one integer; ids are of one shape when their labels are equal. */
export interface IdShape {
  /** What surrounds the integer; a NUL stands in its place. */
  readonly label: string;
  readonly number: bigint;
}

const SEPARATORS = '_:-/@.';
const DIGITS_MAX = 19;
const HAS_DIGIT = /\d/;
const ALL_DIGITS = /^\d{1,19}$/;

/**
 * Recognises the integer of an id that carries one: `41`, `E_1042`, `_41`, `A:41`, `e7`, `3f25…-41`, and `4/17`
 * where the index comes first. Null for any other text. A number alone proves no order: the caller trusts it
 * only while every id of one numbering has one label and no number contradicts the order of emission.
 */
export function readIdShape(id: string): IdShape | null {
  let start = id.length;
  while (start > 0 && isDigit(id.charCodeAt(start - 1))) start--;
  const digits = id.slice(start);
  if (digits === '' || (start > 0 && digits.length > DIGITS_MAX)) return null;
  if (start === 0) return shapeOf('\0', parsePosition(id));
  const before = id.slice(0, start);
  const index = before.endsWith('/') ? before.slice(0, -1) : '';
  if (ALL_DIGITS.test(index)) return shapeOf(`\0/${digits}`, BigInt(index));
  const isPart = SEPARATORS.includes(before.slice(-1)) || !HAS_DIGIT.test(before);
  return isPart ? shapeOf(`${before}\0`, BigInt(digits)) : null;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function shapeOf(label: string, number: bigint | null): IdShape | null {
  return number === null || number > POSITION_MAX ? null : { label, number };
}
