import { parseJsonExactly } from '@/lib/base/json';
import { type ArrayParts, isJsonLarger, partsOfArray } from '@/lib/base/json-marks';
import { err, ok, type Result } from '@/lib/base/result';

export interface Batch {
  /** Values in the order sent; `undefined` where a line was no JSON. */
  readonly values: readonly unknown[];
  /** Why a line could not be read, by the index of its value. */
  readonly unreadable: ReadonlyMap<number, string>;
}

export interface BatchProblem {
  readonly code: 'malformed_json' | 'malformed_encoding' | 'batch_too_large';
  readonly message: string;
}

/** Records of one batch: bounds the work and the answer, whose list of rejections may name every record. */
export const BATCH_RECORDS_MAX = 100_000;

/** Values of one batch, and of one record: a list of a million event ids with their digests is within it. */
export const VALUES_MAX = 2_500_000;
/** Named values of one record. Ours have dozens; each new name costs a reader many times what a value does. */
const MEMBERS_MAX = 10_000;
/** Of texts no longer than this nothing is counted before it is read: the reading is as cheap. */
const SMALL_CHARS = 65_536;
const TOO_LARGE = `holds more than ${MEMBERS_MAX} members or ${VALUES_MAX} values`;

/** Reads a JSON body: one record or an array of records. No position in it is ever rounded. */
export function parseJsonBatch(text: string): Result<Batch, BatchProblem> {
  const steps = jsonBatchSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The same in short steps, so that others can be served between them. What is beyond the bounds is refused before any of it is built;
 * of a long array `hold` is told how many values will be, and may throw.
 */
export function* jsonBatchSteps(
  text: string,
  hold: (values: number) => void = () => undefined,
): Generator<undefined, Result<Batch, BatchProblem>> {
  const start = text.search(/\S/);
  if (text.length <= SMALL_CHARS || text[start] !== '[') return parseSmallBatch(text);
  const parts = partsOfArray(text, start, { partsMax: BATCH_RECORDS_MAX, valuesMax: VALUES_MAX, membersMax: MEMBERS_MAX });
  if (parts === 'too_many') return err(tooManyRecords());
  if (parts === 'unfinished') return err(notJson('the text ends within the array'));
  if (parts === 'followed') return err(notJson('the array is followed by more'));
  hold(parts.values);
  const values: unknown[] = [];
  if (parts.ends.length === 1 && text.slice(start + 1, parts.ends[0]).trim() === '') return ok({ values, unreadable: new Map() });
  for (let from = start + 1; values.length < parts.ends.length; ) {
    const last = lastOfSlice(parts, values.length, from);
    const end = parts.ends[last] ?? text.length;
    const slice = parts.oversized.has(last) ? ok([undefined]) : parseSlice(text.slice(from, end), last - values.length + 1);
    if (!slice.ok) return err(notJson(`between offsets ${from} and ${end}: ${slice.error}`));
    values.push(...slice.value);
    from = end + 1;
    yield;
  }
  return ok({ values, unreadable: new Map([...parts.oversized].map((index) => [index, TOO_LARGE])) });
}

/** The last part that is read together with `first`: a part that is oversized stands alone. */
function lastOfSlice({ ends, oversized }: ArrayParts, first: number, from: number): number {
  let last = first;
  while (!oversized.has(last) && !oversized.has(last + 1) && (ends[last + 1] ?? Number.POSITIVE_INFINITY) - from <= SMALL_CHARS) last++;
  return last;
}

function parseSlice(text: string, count: number): Result<unknown[], string> {
  const parsed = parse(`[${text}]`);
  if (!parsed.ok) return parsed;
  return Array.isArray(parsed.value) && parsed.value.length === count ? ok(parsed.value) : err('a value is missing');
}

function parseSmallBatch(text: string): Result<Batch, BatchProblem> {
  if (isRecordTooLarge(text)) return ok({ values: [undefined], unreadable: new Map([[0, TOO_LARGE]]) });
  const parsed = parse(text);
  if (!parsed.ok) return err(notJson(parsed.error));
  return ok({ values: Array.isArray(parsed.value) ? parsed.value : [parsed.value], unreadable: new Map() });
}

function isRecordTooLarge(text: string): boolean {
  return text.length > SMALL_CHARS && isJsonLarger(text, { values: VALUES_MAX, members: MEMBERS_MAX });
}

function notJson(reason: string): BatchProblem {
  return { code: 'malformed_json', message: `the body is not JSON: ${reason}` };
}

/**
 * Reads newline-delimited JSON, one record per line; blank lines are skipped. A line that is no JSON is one bad
 * record, unless no line is JSON at all.
 */
export function parseLineBatch(text: string): Result<Batch, BatchProblem> {
  const lines = linesOf(text);
  if (lines.length > BATCH_RECORDS_MAX) return err(tooManyRecords());
  const batch = parseLines(lines);
  if (lines.length === 0 || batch.unreadable.size < lines.length) return ok(batch);
  return err({ code: 'malformed_json', message: `no line of the body is JSON; line 1 ${batch.unreadable.get(0)}` });
}

/** The lines that are not blank; of more than a batch may hold, enough to see that. */
export function linesOf(text: string): string[] {
  return text.split('\n', BATCH_RECORDS_MAX * 2).filter((line) => line.length > 1 || line.trim() !== '');
}

/** One value per line. */
export function parseLines(lines: readonly string[]): Batch {
  if (lines.some(isRecordTooLarge)) return parseEachLine(lines);
  // One parse of the whole is half again as fast as one per line. It is trusted only if every line was a value.
  const whole = parse(`[${lines.join(',')}]`);
  if (whole.ok && Array.isArray(whole.value) && whole.value.length === lines.length && lines.every(isObjectText)) {
    return { values: whole.value, unreadable: new Map() };
  }
  return parseEachLine(lines);
}

function parseEachLine(lines: readonly string[]): Batch {
  const unreadable = new Map<number, string>();
  const values = lines.map((line, index) => {
    const parsed = isRecordTooLarge(line) ? null : parse(line);
    if (parsed?.ok === true) return parsed.value;
    unreadable.set(index, parsed === null ? TOO_LARGE : `is not JSON: ${parsed.error}`);
    return undefined;
  });
  return { values, unreadable };
}

function isObjectText(line: string): boolean {
  return line.startsWith('{') && (line.endsWith('}') || line.endsWith('}\r'));
}

function parse(text: string): Result<unknown, string> {
  try {
    return ok(parseJsonExactly(text));
  } catch (cause) {
    return err(cause instanceof Error ? cause.message.replace(/^JSON\.parse: /, '') : 'unreadable');
  }
}

export function tooManyRecords(): BatchProblem {
  return { code: 'batch_too_large', message: `a batch holds at most ${BATCH_RECORDS_MAX} records and ${VALUES_MAX} values` };
}
