import { Fingerprint, type FingerprintKey } from '@/lib/sse/fingerprint';

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** Longest event id that is kept, in bytes. A longer one is reported as `idTooLong`, never cut to look like another id. */
export const EVENT_ID_BYTES_MAX = 8192;

/** One complete block of an event stream: what stands before a blank line. */
export interface SseBlock {
  /** Bytes of the `id` field, one character per byte; `''` clears the cursor; null when the block sets none. */
  readonly id: string | null;
  readonly idTooLong: boolean;
  readonly dataLines: number;
  /** Bytes of data without the line ends between its lines. */
  readonly dataBytes: number;
  /** Fingerprint of the data as a client reads it; equal for any framing of equal data. */
  readonly fingerprint: number;
  /** Offset in the chunk being fed of the blank line that ends the block: where a field can still be added. */
  readonly blankAt: number;
  /** Offset in the chunk being fed just after the block's last byte. */
  readonly end: number;
}

function decodeBytes(chunk: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...chunk.subarray(start, end));
}

enum Field {
  Naming,
  Data,
  Id,
  Other,
}

/**
 * Reads block boundaries and ids of an event stream (WHATWG HTML, section 9.2.6) from chunks split anywhere,
 * without decoding or keeping what it reads: CR, LF and CRLF end lines, a byte order mark is skipped, an id
 * with a NUL is ignored, a block without its blank line is never reported.
 *
 * Memory is constant apart from one id of at most `EVENT_ID_BYTES_MAX` bytes. Never throws on any bytes.
 */
export class BlockScanner<B extends Uint8Array = Uint8Array> {
  private readonly fingerprint: Fingerprint;
  private field = Field.Naming;
  /** Field name read so far, at most five characters: enough to tell `data` and `id` from all others. */
  private name = '';
  private isLineEmpty = true;
  private isValueStart = false;
  private isAfterCr = false;
  private bomSeen = 0;
  private value = '';
  private isValueTooLong = false;
  private id: string | null = null;
  private idTooLong = false;
  private dataLines = 0;
  private dataBytes = 0;
  private isBlockEmpty = true;

  constructor(
    key: FingerprintKey,
    private readonly onBlock: (block: SseBlock) => void,
    /** Text of `chunk[start, end)`, one character per byte. */
    private readonly decode: (chunk: B, start: number, end: number) => string = decodeBytes,
  ) {
    this.fingerprint = new Fingerprint(key);
  }

  /** Whether the bytes fed so far end exactly at a block boundary. */
  get isAtBoundary(): boolean {
    return this.isBlockEmpty && this.isLineEmpty;
  }

  /** Reads `chunk[from, to)`; offsets in blocks are offsets in `chunk`. */
  feed(chunk: B, from = 0, to = chunk.length): void {
    let at = this.bomSeen < BOM.length ? this.skipBom(chunk, from, to) : from;
    let nextCr = chunk.indexOf(CR, at);
    if (this.isAfterCr && at < to) {
      this.isAfterCr = false;
      if (chunk[at] === LF) at++;
    }
    while (at < to) {
      if (nextCr !== -1 && nextCr < at) nextCr = chunk.indexOf(CR, at);
      const end = lineEnd(chunk, at, nextCr);
      if (end === -1 || end >= to) {
        this.readPart(chunk, at, to);
        return;
      }
      const next = this.skipLineEnd(chunk, end, to);
      this.readLine(chunk, at, end, next);
      at = next;
    }
  }

  /** The rest of a line, or all of it, up to its end. */
  private readLine(chunk: B, at: number, end: number, next: number): void {
    if (this.isLineEmpty) {
      if (end === at) this.endBlock(end, next);
      else this.readWhole(chunk, at, end);
      return;
    }
    if (end > at) this.readPart(chunk, at, end);
    this.commitLine();
  }

  /** A byte order mark counts only as the very first bytes; bytes that merely begin like one are given back. */
  private skipBom(chunk: B, from: number, to: number): number {
    let at = from;
    while (at < to && this.bomSeen < BOM.length) {
      if (chunk[at] !== BOM[this.bomSeen]) {
        if (this.bomSeen > 0) {
          this.readName(BOM, 0, this.bomSeen);
          this.isLineEmpty = false;
        }
        this.bomSeen = BOM.length;
        return at;
      }
      at++;
      this.bomSeen++;
    }
    return at;
  }

  /** Offset after the line end at `end`; a CR at the very end of a chunk may be half of one. */
  private skipLineEnd(chunk: B, end: number, to: number): number {
    if (chunk[end] === LF) return end + 1;
    if (end + 1 === to) this.isAfterCr = true;
    else if (chunk[end + 1] === LF) return end + 2;
    return end + 1;
  }

  /** A line that stands in one chunk, as nearly all do: told by its first bytes, without keeping any. */
  private readWhole(chunk: B, start: number, end: number): void {
    this.isBlockEmpty = false;
    const nameEnd = fieldEnd(chunk, start, end);
    if (nameEnd === start + 4) {
      if (!isData(chunk, start)) return;
      this.startDataLine();
      this.field = Field.Naming;
      const value = valueStart(chunk, nameEnd, end);
      this.fingerprint.update(chunk, value, end);
      this.dataBytes += end - value;
    } else if (nameEnd === start + 2 && chunk[start] === 105 && chunk[start + 1] === 100) {
      const value = valueStart(chunk, nameEnd, end);
      this.isValueTooLong = end - value > EVENT_ID_BYTES_MAX;
      this.value = this.decode(chunk, value, this.isValueTooLong ? value + EVENT_ID_BYTES_MAX : end);
      this.commitId();
    }
  }

  private commitLine(): void {
    if (this.field === Field.Naming) this.commitBareName();
    else if (this.field === Field.Id) this.commitId();
    this.field = Field.Naming;
    this.name = '';
    this.isLineEmpty = true;
    this.isBlockEmpty = false;
  }

  /** A line without a colon is a field with an empty value. */
  private commitBareName(): void {
    if (this.name === 'data') this.startDataLine();
    else if (this.name === 'id') this.id = '';
  }

  private commitId(): void {
    if (this.value.includes('\0')) return;
    this.id = this.value;
    this.idTooLong = this.isValueTooLong;
  }

  private endBlock(blankAt: number, end: number): void {
    if (!this.isBlockEmpty) {
      const { id, idTooLong, dataLines, dataBytes } = this;
      this.onBlock({ id, idTooLong, dataLines, dataBytes, fingerprint: this.fingerprint.value(), blankAt, end });
    }
    this.id = null;
    this.idTooLong = false;
    this.dataLines = 0;
    this.dataBytes = 0;
    this.isBlockEmpty = true;
    this.fingerprint.reset();
  }

  private readPart(chunk: B, start: number, end: number): void {
    let at = start;
    if (this.field === Field.Naming) at = this.readName(chunk, start, end);
    this.isLineEmpty = false;
    if (at < end) this.readValue(chunk, at, end);
  }

  private readName(chunk: ArrayLike<number>, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const byte = chunk[at++] ?? 0;
      if (byte === COLON) {
        this.enterValue();
        return at;
      }
      if (this.name.length === 5) {
        this.field = Field.Other;
        return end;
      }
      this.name += String.fromCharCode(byte);
    }
    return at;
  }

  private enterValue(): void {
    this.isValueStart = true;
    if (this.name === 'data') this.startDataLine();
    else if (this.name === 'id') {
      this.field = Field.Id;
      this.value = '';
      this.isValueTooLong = false;
    } else this.field = Field.Other;
  }

  private startDataLine(): void {
    this.field = Field.Data;
    if (this.dataLines > 0) this.fingerprint.addByte(LF);
    this.dataLines++;
  }

  private readValue(chunk: B, start: number, end: number): void {
    let at = start;
    if (this.isValueStart) {
      this.isValueStart = false;
      if (chunk[at] === SPACE) at++;
    }
    if (this.field === Field.Data) {
      this.fingerprint.update(chunk, at, end);
      this.dataBytes += end - at;
    } else if (this.field === Field.Id) this.readId(chunk, at, end);
  }

  private readId(chunk: B, start: number, end: number): void {
    let last = end;
    if (this.value.length + end - start > EVENT_ID_BYTES_MAX) {
      this.isValueTooLong = true;
      last = start + EVENT_ID_BYTES_MAX - this.value.length;
    }
    this.value += this.decode(chunk, start, last);
  }
}

/** Up to here a line is looked through byte by byte; a call of `indexOf` costs as much. */
const SHORT_LINE = 40;

function lineEnd(chunk: Uint8Array, at: number, nextCr: number): number {
  const short = Math.min(at + SHORT_LINE, chunk.length);
  for (let i = at; i < short; i++) {
    const byte = chunk[i];
    if (byte === LF || byte === CR) return i;
  }
  const nextLf = chunk.indexOf(LF, short);
  if (nextCr === -1) return nextLf;
  return nextLf === -1 || nextCr < nextLf ? nextCr : nextLf;
}

/** Offset just after a field's name, of names up to four bytes; -1 for longer ones. */
function fieldEnd(chunk: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + 5);
  for (let at = start; at < last; at++) if (chunk[at] === COLON) return at;
  return end - start <= 4 ? end : -1;
}

const isData = (chunk: Uint8Array, at: number): boolean =>
  chunk[at] === 100 && chunk[at + 1] === 97 && chunk[at + 2] === 116 && chunk[at + 3] === 97;

/** Offset of a field's value: after its colon and one space, if there are any. */
function valueStart(chunk: Uint8Array, nameEnd: number, end: number): number {
  const at = Math.min(nameEnd + 1, end);
  return at < end && chunk[at] === SPACE ? at + 1 : at;
}
