import { parseJsonExactly } from '@/lib/base/json';
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

/** Reads a JSON body: one record or an array of records. No position in it is ever rounded. */
export function parseJsonBatch(text: string): Result<Batch, BatchProblem> {
  const parsed = parse(text);
  if (!parsed.ok) return err({ code: 'malformed_json', message: `the body is not JSON: ${parsed.error}` });
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  return values.length > BATCH_RECORDS_MAX ? err(tooManyRecords()) : ok({ values, unreadable: new Map() });
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
    const parsed = parse(line);
    if (parsed.ok) return parsed.value;
    unreadable.set(index, `is not JSON: ${parsed.error}`);
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
  return { code: 'batch_too_large', message: `a batch holds at most ${BATCH_RECORDS_MAX} records` };
}
