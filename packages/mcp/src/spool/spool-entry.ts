import { crc32 } from 'node:zlib';

/** Who wrote a spool file. */
export interface SpoolOwner {
  readonly producer: string;
  readonly epoch: string;
  readonly host: string;
  readonly pid: number;
}

/** Places of records in a spool file: they count from 0, inclusive. */
export interface SpoolRange {
  readonly first: number;
  readonly last: number;
}

export type SpoolEntry =
  | { readonly kind: 'owner'; readonly owner: SpoolOwner }
  | { readonly kind: 'record'; readonly index: number; readonly line: string }
  /** These records were made into the batch of that number; said again when it is split. */
  | { readonly kind: 'batch'; readonly sequence: number; readonly dropped: number; readonly range: SpoolRange }
  /** These records need not be sent any more: stored, refused, or given up. */
  | { readonly kind: 'done'; readonly range: SpoolRange };

/** One line of a spool file: a checksum, a letter, the content. The content holds no line end, since it is JSON. */
export function writeEntry(entry: SpoolEntry): string {
  const text = contentOf(entry);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** Reads one line, without its end; null where it is not as it was written. */
export function readEntry(line: string): SpoolEntry | null {
  const text = line.slice(9);
  if (line[8] !== ' ' || crc32(text).toString(16).padStart(8, '0') !== line.slice(0, 8)) return null;
  return entryOf(text);
}

function contentOf(entry: SpoolEntry): string {
  switch (entry.kind) {
    case 'owner':
      return `O ${JSON.stringify(entry.owner)}`;
    case 'record':
      return `R ${entry.index} ${entry.line}`;
    case 'batch':
      return `B ${entry.sequence} ${entry.dropped} ${entry.range.first} ${entry.range.last}`;
    case 'done':
      return `D ${entry.range.first} ${entry.range.last}`;
  }
}

/** The checksum has vouched that the text is as this module wrote it. */
function entryOf(text: string): SpoolEntry | null {
  if (text.startsWith('O ')) return { kind: 'owner', owner: JSON.parse(text.slice(2)) as SpoolOwner };
  if (text.startsWith('R ')) {
    const end = text.indexOf(' ', 2);
    return { kind: 'record', index: Number(text.slice(2, end)), line: text.slice(end + 1) };
  }
  const [kind, ...numbers] = text.split(' ');
  const [a = 0, b = 0, c = 0, d = 0] = numbers.map(Number);
  if (kind === 'B') return { kind: 'batch', sequence: a, dropped: b, range: { first: c, last: d } };
  return kind === 'D' ? { kind: 'done', range: { first: a, last: b } } : null;
}
