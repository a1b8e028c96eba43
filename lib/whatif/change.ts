import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { err, ok, type Result } from '@/lib/base/result';
import { type FieldProblem, firstProblem } from '@/lib/wire/field-problem';
import { FLOOR_RULES, literals } from '@/lib/wire/schema';

const Limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'an integer of 0 or more' });

/**
 * What could have been otherwise (contract section 6). A given `buffer` is the whole retention policy: it keeps
 * the newest events that fit every limit it names, without holes.
 */
export const Change = Type.Object(
  {
    buffer: Type.Optional(
      Type.Object(
        { events: Type.Optional(Limit), bytes: Type.Optional(Limit), ttl_ms: Type.Optional(Limit) },
        { description: 'an object of events, bytes, ttl_ms' },
      ),
    ),
    floor: Type.Optional(literals(FLOOR_RULES)),
    generation_check: Type.Optional(Type.Boolean({ description: 'true or false' })),
    /** How long after the close of its connection a client comes back. */
    reconnect_ms: Type.Optional(Limit),
  },
  { description: 'an object' },
);
export type Change = Type.Static<typeof Change>;
export type Buffer = NonNullable<Change['buffer']>;

const validator = Compile(Change);

/** Reads the `change` of a what-if request, or names its first bad field. */
export function decodeChange(value: unknown): Result<Change, FieldProblem> {
  return validator.Check(value) ? ok(value) : err(firstProblem(validator, Change, value));
}
