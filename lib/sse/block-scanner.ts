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
export class BlockScanner {
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
  ) {
    this.fingerprint = new Fingerprint(key);
  }

  /** Whether the bytes fed so far end exactly at a block boundary. */
  get isAtBoundary(): boolean {
    return this.isBlockEmpty && this.isLineEmpty;
  }

  feed(chunk: Uint8Array): void {
    let at = this.bomSeen < BOM.length ? this.skipBom(chunk) : 0;
    let nextCr = chunk.indexOf(CR, at);
    while (at < chunk.length) {
      if (this.isAfterCr) {
        this.isAfterCr = false;
        if (chunk[at] === LF) {
          at++;
          continue;
        }
      }
      if (nextCr !== -1 && nextCr < at) nextCr = chunk.indexOf(CR, at);
      const end = lineEnd(chunk, at, nextCr);
      if (end === -1) {
        this.readPart(chunk, at, chunk.length);
        return;
      }
      if (end > at) this.readPart(chunk, at, end);
      at = this.endLine(chunk, end);
    }
  }

  /** A byte order mark counts only as the very first bytes; bytes that merely begin like one are given back. */
  private skipBom(chunk: Uint8Array): number {
    let at = 0;
    while (at < chunk.length && this.bomSeen < BOM.length) {
      if (chunk[at] !== BOM[this.bomSeen]) {
        if (this.bomSeen > 0) this.readPart(Uint8Array.from(BOM), 0, this.bomSeen);
        this.bomSeen = BOM.length;
        return at;
      }
      at++;
      this.bomSeen++;
    }
    return at;
  }

  private endLine(chunk: Uint8Array, end: number): number {
    let next = end + 1;
    if (chunk[end] === CR) {
      if (chunk[next] === LF) next++;
      else this.isAfterCr = next === chunk.length;
    }
    if (this.isLineEmpty) this.endBlock(end, next);
    else this.commitLine();
    return next;
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

  private readPart(chunk: Uint8Array, start: number, end: number): void {
    let at = start;
    if (this.field === Field.Naming) at = this.readName(chunk, start, end);
    this.isLineEmpty = false;
    if (at < end) this.readValue(chunk, at, end);
  }

  private readName(chunk: Uint8Array, start: number, end: number): number {
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

  private readValue(chunk: Uint8Array, start: number, end: number): void {
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

  private readId(chunk: Uint8Array, start: number, end: number): void {
    let last = end;
    if (this.value.length + end - start > EVENT_ID_BYTES_MAX) {
      this.isValueTooLong = true;
      last = start + EVENT_ID_BYTES_MAX - this.value.length;
    }
    let text = '';
    for (let at = start; at < last; at++) text += String.fromCharCode(chunk[at] ?? 0);
    this.value += text;
  }
}

function lineEnd(chunk: Uint8Array, at: number, nextCr: number): number {
  if (chunk[at] === LF) return at;
  const nextLf = chunk.indexOf(LF, at);
  if (nextCr === -1) return nextLf;
  return nextLf === -1 || nextCr < nextLf ? nextCr : nextLf;
}
