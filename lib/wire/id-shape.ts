import { POSITION_MAX, parsePosition } from '@/lib/base/position';

/** An event id read as a fixed text around one integer; ids are of one shape when their labels are equal. */
export interface IdShape {
  /** What surrounds the integer; a NUL stands in its place. */
  readonly label: string;
  readonly number: bigint;
}

const INDEX_THEN_REQUEST = /^(\d{1,19})(\/\d+)$/;
const AFTER_LAST_SEPARATOR = /^([\s\S]*[_:\-/@.])(\d{1,19})$/;
const AFTER_WORD = /^(\D+)(\d{1,19})$/;

/**
 * Recognises the integer of an id that carries one: `41`, `E_1042`, `_41`, `A:41`, `e7`, `3f25…-41`, and `4/17`
 * where the index comes first. Null for any other text. A number alone proves no order: the caller trusts it
 * only while every id of one numbering has one label and no number contradicts the order of emission.
 */
export function readIdShape(id: string): IdShape | null {
  const canonical = parsePosition(id);
  if (canonical !== null) return { label: '\0', number: canonical };
  const indexFirst = INDEX_THEN_REQUEST.exec(id);
  if (indexFirst !== null) return shapeOf(`\0${indexFirst[2]}`, indexFirst[1]);
  const tail = AFTER_LAST_SEPARATOR.exec(id) ?? AFTER_WORD.exec(id);
  return tail === null ? null : shapeOf(`${tail[1]}\0`, tail[2]);
}

function shapeOf(label: string, digits: string | undefined): IdShape | null {
  const number = BigInt(digits ?? '');
  return number > POSITION_MAX ? null : { label, number };
}
