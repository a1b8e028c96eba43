import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Audit, createAudit } from '@/lib/audit/audit';
import type { AuditedFile } from '@/lib/audit/report/audited-file';
import { parseJsonExactly } from '@/lib/base/json';
import { decodeRecord } from '@/lib/wire/decode-record';

/** An input that cannot be read, with the place. */
export class UnreadableInput extends Error {}

/** Collects records of one history, from one file or several in a row, and remembers their lines. */
class History {
  readonly #audit: Audit = createAudit();
  readonly #lines: number[] = [];

  add(value: unknown, file: string, line: number): void {
    const decoded = decodeRecord(value);
    if (!decoded.ok) {
      const { path, message } = decoded.error;
      throw new UnreadableInput(`${file}:${line}: ${path === '' ? 'the record' : path} ${message}`);
    }
    this.#audit.push(decoded.value, this.#lines.length);
    this.#lines.push(line);
  }

  audited(name: string): AuditedFile {
    const lines = this.#lines;
    return { name, records: lines.length, answer: this.#audit.finish(), lineOf: (index) => lines[index] ?? 1 };
  }
}

/**
 * Audits files, each a history of its own or, with `join`, all of them one history in the order given. A file is
 * NDJSON, or one JSON document: an array of records, or an object with `records`. `-` is standard input.
 *
 * @throws UnreadableInput naming file and line.
 */
export async function auditFiles(files: readonly string[], join: boolean): Promise<AuditedFile[]> {
  const audited: AuditedFile[] = [];
  let history = new History();
  for (const file of files) {
    await readInto(history, file);
    if (join) continue;
    audited.push(history.audited(file));
    history = new History();
  }
  return join ? [history.audited(files.join(' '))] : audited;
}

async function readInto(history: History, file: string): Promise<void> {
  try {
    if (await readLines(history, file)) return;
    readDocument(history, file, await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof UnreadableInput) throw error;
    throw new UnreadableInput(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads NDJSON line by line; false when the first line shows that the file is one document. */
async function readLines(history: History, file: string): Promise<boolean> {
  const input = file === '-' ? process.stdin : createReadStream(file, 'utf8');
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  let isFirst = true;
  for await (const raw of lines) {
    number++;
    const text = number === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    if (text.trim() === '') continue;
    if (isFirst && isDocumentStart(text)) {
      if (file !== '-') return leave(lines, input);
      const rest: string[] = [text];
      for await (const more of lines) rest.push(more);
      readDocument(history, file, '\n'.repeat(number - 1) + rest.join('\n'));
      return true;
    }
    isFirst = false;
    history.add(parseLine(text, file, number), file, number);
  }
  return true;
}

function leave(lines: { close: () => void }, input: { destroy: () => unknown }): false {
  lines.close();
  input.destroy();
  return false;
}

/** NDJSON begins with a whole object that names its type; anything else is the start of a document. */
function isDocumentStart(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || typeof value !== 'object' || !('type' in value);
  } catch {
    return /^\s*[[{]\s*$/.test(text) || text.trimStart().startsWith('[') || !text.includes('"type"');
  }
}

function parseLine(text: string, file: string, line: number): unknown {
  try {
    return parseJsonExactly(text);
  } catch (error) {
    throw new UnreadableInput(`${file}:${line}: ${error instanceof Error ? error.message : 'is not JSON'}`);
  }
}

function readDocument(history: History, file: string, text: string): void {
  const body = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = parseJsonExactly(body);
  } catch (error) {
    throw new UnreadableInput(`${file}:${lineOfSyntaxError(body, error)}: ${error instanceof Error ? error.message : 'is not JSON'}`);
  }
  const records = recordsIn(value);
  if (records === null) throw new UnreadableInput(`${file}:1: must be an array of records, an object with records, or NDJSON`);
  const lines = elementLines(body, records.length);
  for (const [index, record] of records.entries()) history.add(record, file, lines[index] ?? 1);
}

function recordsIn(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (value === null || typeof value !== 'object') return null;
  if ('records' in value && Array.isArray(value.records)) return value.records;
  return 'type' in value ? [value] : null;
}

function lineOfSyntaxError(text: string, error: unknown): number {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length;
}

const STRUCTURE = /"(?:[^"\\]|\\.)*"|[\n{}[\]]/g;

function listStart(text: string): number {
  const named = /"records"\s*:\s*\[/.exec(text);
  return text.trimStart().startsWith('[') || named === null ? text.indexOf('[') : named.index + named[0].length - 1;
}

/** Line on which each element of the document's list of records begins. */
function elementLines(text: string, wanted: number): number[] {
  const start = listStart(text);
  const lines: number[] = [];
  let line = text.slice(0, start + 1).split('\n').length;
  let depth = 0;
  for (const [token] of text.slice(start + 1).matchAll(STRUCTURE)) {
    if (token === '\n') line++;
    else if (token === '}' || token === ']') depth--;
    else if (token === '{' || token === '[') {
      if (depth++ === 0) lines.push(line);
      if (lines.length > wanted) break;
    }
  }
  return lines;
}
