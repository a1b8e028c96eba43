import { isUtf8 } from 'node:buffer';
import { err, ok, type Result } from '@/lib/base/result';
import { BATCH_RECORDS_MAX, type Batch, type BatchProblem, linesOf, parseLines, tooManyRecords } from '@/lib/intake/batch-text';

const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads newline-delimited JSON as it arrives: each chunk gives the records whose lines are whole by then, so that a body is never
 * held as a whole. However the bytes are cut, the records are the same.
 */
export class LineReader {
  /** The beginning of a line whose end has not arrived. */
  #rest: Buffer[] = [];
  #isFirst = true;
  #lines = 0;
  #unreadable = 0;
  #firstProblem = '';

  /** The records of the lines that this chunk ends; their indices count from the first of them. */
  push(chunk: Buffer): Result<Batch, BatchProblem> {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#rest.push(chunk);
      return ok({ values: [], unreadable: new Map() });
    }
    const whole = chunk.subarray(0, end);
    const text = this.#rest.length === 0 ? whole : Buffer.concat([...this.#rest, whole]);
    this.#rest = end + 1 === chunk.length ? [] : [chunk.subarray(end + 1)];
    return this.#read(text);
  }

  /** The record of a last line without an end. Fails where no line of the body was JSON. */
  end(): Result<Batch, BatchProblem> {
    const last = this.#read(Buffer.concat(this.#rest));
    this.#rest = [];
    if (!last.ok || this.#lines === 0 || this.#unreadable < this.#lines) return last;
    return err({ code: 'malformed_json', message: `no line of the body is JSON; line 1 ${this.#firstProblem}` });
  }

  #read(bytes: Buffer): Result<Batch, BatchProblem> {
    if (!isUtf8(bytes)) return err({ code: 'malformed_encoding', message: 'the body is not UTF-8 text' });
    const lines = linesOf(this.#withoutMark(bytes).toString('utf8'));
    if (this.#lines + lines.length > BATCH_RECORDS_MAX) return err(tooManyRecords());
    const batch = parseLines(lines);
    if (this.#lines === 0) this.#firstProblem = batch.unreadable.get(0) ?? '';
    this.#lines += lines.length;
    this.#unreadable += batch.unreadable.size;
    return ok(batch);
  }

  /** Some editors and shells begin UTF-8 text with a byte order mark, which JSON does not know. */
  #withoutMark(bytes: Buffer): Buffer {
    const isMarked = this.#isFirst && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.#isFirst = false;
    return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  }
}
