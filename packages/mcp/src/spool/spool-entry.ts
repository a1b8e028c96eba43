import { crc32 } from 'node:zlib';

/** Who wrote a spool file. */
export interface SpoolOwner {
  readonly producer: string;
  /** Random, of one reporter of one process. */
  readonly epoch: string;
  /** When the epoch began, in epoch milliseconds; earlier versions did not write it. */
  readonly began?: number;
  readonly host: string;
  readonly pid: number;
}

/** How far a producer has come. */
export interface SpoolNumbers {
  /** Number of its last batch; 0 where it has made none. */
  readonly sequence: number;
  /** Records that it has given up, in all. */
  readonly dropped: number;
}

/** Places of records in a spool file: they count from 0, inclusive. */
export interface SpoolRange {
  readonly first: number;
  readonly last: number;
}

export type SpoolEntry =
  | { readonly kind: 'owner'; readonly owner: SpoolOwner; readonly numbers: SpoolNumbers }
  | { readonly kind: 'record'; readonly index: number; readonly line: string }
  /** These records were made into the batch of that number; said again when it is split. */
  | { readonly kind: 'batch'; readonly sequence: number; readonly dropped: number; readonly range: SpoolRange }
  /** These records need not be sent any more: stored, refused, or given up. */
  | { readonly kind: 'done'; readonly range: SpoolRange };

/** One line of a spool file: a checksum, a letter, the content. The content holds no line end, since it is JSON. */
export function writeEntry(entry: SpoolEntry): string {
  const text = contentOf(entry);
  return `${checksumOf(text)} ${text}\n`;
}

/** Reads one line, without its end; null where it is not as it was written. */
export function readEntry(line: string): SpoolEntry | null {
  const text = line.slice(9);
  if (line[8] !== ' ' || checksumOf(text) !== line.slice(0, 8)) return null;
  return entryOf(text);
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function contentOf(entry: SpoolEntry): string {
  switch (entry.kind) {
    case 'owner':
      return `O ${padded(entry.numbers.sequence)} ${padded(entry.numbers.dropped)} ${JSON.stringify(entry.owner)}`;
    case 'record':
      return `R ${entry.index} ${entry.line}`;
    case 'batch':
      return `B ${entry.sequence} ${entry.dropped} ${entry.range.first} ${entry.range.last}`;
    case 'done':
      return `D ${entry.range.first} ${entry.range.last}`;
  }
}

/** Whatever the number, the line is of one length: it is written anew in its place. */
function padded(count: number): string {
  return String(count).padStart(16, '0');
}

/** The checksum has vouched that the text is as this module wrote it. */
function entryOf(text: string): SpoolEntry | null {
  if (text.startsWith('R ')) {
    const end = text.indexOf(' ', 2);
    return { kind: 'record', index: Number(text.slice(2, end)), line: text.slice(end + 1) };
  }
  const [kind, ...numbers] = text.split(' ', 5);
  const [a = 0, b = 0, c = 0, d = 0] = numbers.map(Number);
  if (kind === 'O') return { kind: 'owner', owner: JSON.parse(text.slice(36)) as SpoolOwner, numbers: { sequence: a, dropped: b } };
  if (kind === 'B') return { kind: 'batch', sequence: a, dropped: b, range: { first: c, last: d } };
  return kind === 'D' ? { kind: 'done', range: { first: a, last: b } } : null;
}
