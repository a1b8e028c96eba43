import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { parsePosition } from '@/lib/base/position';
import { err, ok, type Result } from '@/lib/base/result';
import { type FieldProblem, firstProblem } from '@/lib/wire/field-problem';
import { RECORD_SCHEMAS, type RecordType, type TelemetryRecord } from '@/lib/wire/schema';

const validators = new Map<string, { validator: Validator; schema: TSchema }>(
  Object.entries(RECORD_SCHEMAS).map(([type, schema]) => [type, { validator: Compile(schema) as Validator, schema }]),
);

/**
 * The only place where an unknown value becomes a telemetry record. Never throws; a value that cannot be read
 * is answered with the path of its first bad field. Members it does not know are kept as they are.
 */
export function decodeRecord(value: unknown): Result<TelemetryRecord, FieldProblem> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return err({ path: '', message: 'must be an object' });
  const type = (value as { type?: unknown }).type;
  if (type === undefined) return err({ path: 'type', message: 'is required' });
  const known = typeof type === 'string' ? validators.get(type) : undefined;
  if (known === undefined) return err({ path: 'type', message: `must be one of ${RECORD_TYPES.join(', ')}` });
  if (!known.validator.Check(value)) return err(firstProblem(known.validator, known.schema, value));
  const record = value as TelemetryRecord;
  const problem = beyondSchema(record);
  return problem === null ? ok(record) : err(problem);
}

export const RECORD_TYPES = Object.keys(RECORD_SCHEMAS) as RecordType[];

/** Rules that a JSON Schema cannot say: size of positions, order of ranges, floor against head, one of three. */
function beyondSchema(record: TelemetryRecord): FieldProblem | null {
  if (typeof record.at === 'string' && Number.isNaN(Date.parse(record.at))) return { path: 'at', message: 'is no such instant' };
  switch (record.type) {
    case 'resume_attempt':
      return attemptProblem(record);
    case 'emit':
      return runProblem(record, 'event_id') ?? positionProblem('position', record.position);
    case 'deliver':
      return runProblem(record, null);
    case 'session':
      return positionProblem('head', record.head);
    case 'evict':
      if (record.floor === undefined && record.event_ids === undefined)
        return { path: 'floor', message: 'is required unless event_ids is given' };
      return null;
    default:
      return null;
  }
}

function attemptProblem(record: Extract<TelemetryRecord, { type: 'resume_attempt' }>): FieldProblem | null {
  const problem =
    positionProblem('cursor', record.cursor) ??
    positionProblem('floor', record.floor) ??
    positionProblem('head', record.head) ??
    positionProblem('covered_from', record.covered_from) ??
    rangesProblem('holes', record.holes) ??
    rangesProblem('reused', record.reused);
  if (problem !== null) return problem;
  const floor = parsePosition(record.floor);
  const head = parsePosition(record.head);
  return floor !== null && head !== null && floor > head + 1n ? { path: 'floor', message: 'must be at most head + 1' } : null;
}

function runProblem(
  record: { event_id?: unknown; event_ids?: unknown; range?: [unknown, unknown] | undefined },
  single: 'event_id' | null,
): FieldProblem | null {
  const given = [record.event_ids, record.range, single === null ? undefined : record.event_id].filter((member) => member !== undefined);
  if (given.length === 0)
    return { path: single ?? 'event_ids', message: `is required unless ${single === null ? 'range' : 'event_ids or range'} is given` };
  if (given.length > 1) return { path: single ?? 'event_ids', message: 'must be the only one of event_id, event_ids and range' };
  return record.range === undefined ? null : rangesProblem('range', [record.range], (_index, end) => `range[${end}]`);
}

function positionProblem(path: string, value: unknown): FieldProblem | null {
  return value === undefined || value === null || parsePosition(value) !== null
    ? null
    : { path, message: 'must be at most 9223372036854775807' };
}

/** Finds the first range of a list that is too large, reversed, or not after its predecessor. */
export function rangesProblem(
  path: string,
  ranges: readonly (readonly [unknown, unknown])[] | undefined,
  member: (index: number, end: 0 | 1) => string = (index, end) => `${path}[${index}][${end}]`,
): FieldProblem | null {
  let previous = -1n;
  for (const [index, range] of (ranges ?? []).entries()) {
    const first = parsePosition(range[0]);
    const last = parsePosition(range[1]);
    if (first === null) return { path: member(index, 0), message: 'must be at most 9223372036854775807' };
    if (last === null) return { path: member(index, 1), message: 'must be at most 9223372036854775807' };
    if (last < first) return { path: member(index, 1), message: 'must not be below the first position of its range' };
    if (first <= previous) return { path: member(index, 0), message: 'must be above the range before it' };
    previous = last;
  }
  return null;
}
