import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parsePosition } from '@/lib/base/position';
import { err, ok, type Result } from '@/lib/base/result';
import type { LogFacts, Policy, ResumeRequest, SessionFacts } from '@/lib/resume/types';
import { rangesProblem } from '@/lib/wire/decode-record';
import { type FieldProblem, firstProblem } from '@/lib/wire/field-problem';
import { FLOOR_RULES, Generation, literals, NullablePosition, Position, RangeList, SESSION_STATES } from '@/lib/wire/schema';
import { toRanges } from '@/lib/wire/to-ranges';

const NullableGeneration = Type.Union([Type.Null(), Generation], { description: 'an integer, a label or null' });

/** Body of `POST /api/v1/verdict` (contract section 2). Unknown members are ignored. */
export const VerdictRequest = Type.Object({
  policy: Type.Optional(Type.Object({ floor: Type.Optional(literals(FLOOR_RULES)) }, { description: 'an object' })),
  session: Type.Object({ state: literals(SESSION_STATES), generation: Type.Optional(NullableGeneration) }, { description: 'an object' }),
  log: Type.Object(
    {
      floor: Position,
      head: Type.Union([Position, Type.Literal(-1)], { description: 'a position, or −1 for a log that never held an event' }),
      holes: Type.Optional(RangeList),
      reused: Type.Optional(RangeList),
      covered_from: Type.Optional(NullablePosition),
    },
    { description: 'an object' },
  ),
  request: Type.Object(
    {
      cursor: Type.Optional(NullablePosition),
      last_event_id: Type.Optional(Type.Union([Type.Null(), Type.String()], { description: 'text or null' })),
      generation: Type.Optional(NullableGeneration),
      protocol_version: Type.Optional(Type.Union([Type.Null(), Type.String()], { description: 'text or null' })),
    },
    { description: 'an object' },
  ),
});

export interface VerdictInput {
  readonly policy: Policy;
  readonly session: SessionFacts;
  readonly log: LogFacts;
  readonly request: ResumeRequest;
}

const validator = Compile(VerdictRequest);

/** Turns the verdict endpoint's body into the values that `decide` takes, or names the first bad field. */
export function decodeVerdictRequest(value: unknown): Result<VerdictInput, FieldProblem> {
  if (!validator.Check(value)) return err(firstProblem(validator, VerdictRequest, value));
  const { policy, session, log, request } = value;
  const problem =
    positionTooLarge('log.floor', log.floor) ??
    positionTooLarge('log.head', log.head) ??
    positionTooLarge('log.covered_from', log.covered_from);
  const rangeProblem =
    rangesProblem('log.holes', log.holes) ?? rangesProblem('log.reused', log.reused) ?? positionTooLarge('request.cursor', request.cursor);
  if (problem !== null) return err(problem);
  if (rangeProblem !== null) return err(rangeProblem);
  const floor = parsePosition(log.floor) ?? 0n;
  const head = log.head === -1 ? -1n : (parsePosition(log.head) ?? 0n);
  if (floor > head + 1n) return err({ path: 'log.floor', message: 'must be at most head + 1' });
  return ok({
    policy: { floor: policy?.floor ?? 'successor' },
    session: { state: session.state, generation: generationText(session.generation) },
    log: { floor, head, holes: toRanges(log.holes), reused: toRanges(log.reused), coveredFrom: parsePosition(log.covered_from) },
    request: {
      cursor: parsePosition(request.cursor),
      lastEventId: request.last_event_id ?? null,
      generation: generationText(request.generation),
      protocolVersion: request.protocol_version ?? null,
    },
  });
}

/** Generations are compared as text: the integer 3 and the label "3" are one. */
export function generationText(generation: string | number | null | undefined): string | null {
  return generation === null || generation === undefined ? null : String(generation);
}

function positionTooLarge(path: string, value: unknown): FieldProblem | null {
  return value === undefined || value === null || value === -1 || parsePosition(value) !== null
    ? null
    : { path, message: 'must be at most 9223372036854775807' };
}
