const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);
const MARKS: ReadonlySet<number> = new Set([COMMA, COLON, ...OPENING, ...CLOSING]);

/** What the marks of a JSON text say of its size. */
export interface JsonSize {
  /** Values of any kind, an empty list counted as two. */
  readonly values: number;
  /** Named values. */
  readonly members: number;
}

/** Where the parts of a JSON array lie, told from brackets, commas and quotes. */
export interface ArrayParts {
  /** Offset of the comma or bracket that follows each part; an empty array is one part without a value. */
  readonly ends: readonly number[];
  /** Parts that are larger than a part may be. */
  readonly oversized: ReadonlySet<number>;
  /** Of all parts together. */
  readonly values: number;
}

export interface ArrayBounds {
  readonly partsMax: number;
  /** Of all parts together. */
  readonly valuesMax: number;
  /** Of one part. */
  readonly membersMax: number;
}

/**
 * Whether JSON text may hold more values or members than `max`. Linear and in constant room, so that a hostile text costs its length
 * and nothing is built from it; of text that is no JSON the answer says nothing.
 */
export function isJsonLarger(text: string, max: JsonSize): boolean {
  let values = 1;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === COLON) members++;
    else if (code === COMMA || OPENING.has(code)) values++;
    if (values > max.values || members > max.members) return true;
  }
  return false;
}

/**
 * Finds the parts of the JSON array that begins at `start`, without building any. Each part may still be no JSON.
 * Answers with what is wrong where the text cannot be an array, or which bound it goes beyond.
 */
export function partsOfArray(text: string, start: number, bounds: ArrayBounds): ArrayParts | 'unfinished' | 'followed' | 'too_many' {
  const scan = new ArrayScan();
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (MARKS.has(code)) {
      scan.take(code, at);
      if (scan.members > bounds.membersMax) scan.oversized.add(scan.ends.length);
      if (scan.ends.length > bounds.partsMax || scan.values > bounds.valuesMax) return 'too_many';
      if (scan.depth === 0) return endOfArray(text, at, scan);
    }
  }
  return 'unfinished';
}

class ArrayScan implements ArrayParts {
  readonly ends: number[] = [];
  readonly oversized = new Set<number>();
  depth = 0;
  values = 0;
  /** Of the part that goes on. */
  members = 0;

  take(mark: number, at: number): void {
    if (mark === COLON) this.members++;
    else if (CLOSING.has(mark)) this.depth--;
    else this.values++;
    if (OPENING.has(mark)) this.depth++;
    if (this.depth === 0 || (this.depth === 1 && mark === COMMA)) this.#end(at);
  }

  #end(at: number): void {
    this.ends.push(at);
    this.members = 0;
  }
}

function endOfArray(text: string, at: number, parts: ArrayParts): ArrayParts | 'unfinished' | 'followed' {
  if (text[at] !== ']') return 'unfinished';
  return text.slice(at + 1).trim() === '' ? parts : 'followed';
}

/** Offset of the quote that ends the string which `opening` begins; beyond the text when none does. */
export function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
