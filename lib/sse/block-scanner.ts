import { Fingerprint, type FingerprintKey } from '@/lib/sse/fingerprint';

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const SMALL_D = 100;
const SMALL_I = 105;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** Longest event id that is kept, in bytes: as long as a cursor may be. A longer one is reported as `idTooLong`, never cut to look like another id. */
export const EVENT_ID_BYTES_MAX = 1024;

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
  private hasValueNul = false;
  private id: string | null = null;
  private idTooLong = false;
  private dataLines = 0;
  private dataBytes = 0;
  private isBlockEmpty = true;
  /** Where the next CR of the chunk being fed stands, or the chunk's end: in most streams there is none. */
  private nextCr = 0;

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
    let at = this.startIn(chunk, from, to);
    while (at < to) {
      const isBlank = this.isLineEmpty && isLineEnd(chunk[at]);
      const end = isBlank ? at : this.lineEnd(chunk, at, to);
      if (!isBlank) this.readLine(chunk, at, end);
      if (end === to) return;
      at = this.skipLineEnd(chunk, end, to);
      if (isBlank) this.endBlock(end, at);
      else this.commitLine();
    }
  }

  /** Where the line that is read on at `at` ends, or `to`. */
  private lineEnd(chunk: B, at: number, to: number): number {
    if (this.nextCr < at) this.nextCr = within(chunk.indexOf(CR, at), to);
    const lf = within(chunk.indexOf(LF, at), to);
    return Math.min(lf, this.nextCr);
  }

  /** Where reading goes on in a new chunk: after a byte order mark, and after the other half of a CRLF. */
  private startIn(chunk: B, from: number, to: number): number {
    this.nextCr = -1;
    const at = this.bomSeen < BOM.length ? this.skipBom(chunk, from, to) : from;
    if (!this.isAfterCr || at === to) return at;
    this.isAfterCr = false;
    return chunk[at] === LF ? at + 1 : at;
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

  /** Reads on in a line, up to its end or the chunk's. */
  private readLine(chunk: B, start: number, end: number): void {
    let at = start;
    if (this.field === Field.Naming) at = this.isLineEmpty ? this.readFieldAtOnce(chunk, at, end) : this.readName(chunk, at, end);
    this.isLineEmpty = false;
    if (this.field === Field.Other || this.field === Field.Naming) return;
    if (this.isValueStart && at < end) {
      this.isValueStart = false;
      if (chunk[at] === SPACE) at++;
    }
    if (this.field === Field.Id) this.readId(chunk, at, end);
    else {
      this.fingerprint.add(chunk, at, end);
      this.dataBytes += end - at;
    }
  }

  /** The name of a field that stands in one chunk, as nearly all do: told by its bytes, without making text of it. */
  private readFieldAtOnce(chunk: B, at: number, end: number): number {
    const first = chunk[at];
    if (first !== SMALL_D && first !== SMALL_I) {
      this.field = Field.Other;
      return at;
    }
    if (first === SMALL_D && end - at > 4 && isData(chunk, at)) {
      this.startDataLine();
      this.isValueStart = true;
      return at + 5;
    }
    if (first === SMALL_I && end - at > 2 && chunk[at + 1] === SMALL_D && chunk[at + 2] === COLON) {
      this.startId();
      return at + 3;
    }
    return this.readName(chunk, at, end);
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
    if (this.hasValueNul) return;
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

  /** Reads on in a name; answers the offset after its colon, or `end`. */
  private readName(chunk: ArrayLike<number>, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === COLON) {
        this.enterValue();
        return at + 1;
      }
      if (this.name.length === 5) {
        this.field = Field.Other;
        return at;
      }
      this.name += String.fromCharCode(byte);
    }
    return end;
  }

  private enterValue(): void {
    if (this.name === 'data') this.startDataLine();
    else if (this.name === 'id') this.startId();
    else this.field = Field.Other;
    this.isValueStart = true;
  }

  private startId(): void {
    this.field = Field.Id;
    this.value = '';
    this.isValueTooLong = false;
    this.hasValueNul = false;
    this.isValueStart = true;
  }

  private startDataLine(): void {
    this.field = Field.Data;
    if (this.dataLines > 0) this.fingerprint.addLineFeed();
    this.dataLines++;
  }

  private readId(chunk: B, start: number, end: number): void {
    for (let at = start; at < end; at++) if (chunk[at] === 0) this.hasValueNul = true;
    let last = end;
    if (this.value.length + end - start > EVENT_ID_BYTES_MAX) {
      this.isValueTooLong = true;
      last = start + EVENT_ID_BYTES_MAX - this.value.length;
    }
    if (last > start) this.value += this.decode(chunk, start, last);
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === LF || byte === CR;

const within = (found: number, to: number): number => (found === -1 || found > to ? to : found);

/** Whether `data:` stands here. */
const isData = (chunk: Uint8Array, at: number): boolean =>
  chunk[at] === SMALL_D && chunk[at + 1] === 97 && chunk[at + 2] === 116 && chunk[at + 3] === 97 && chunk[at + 4] === COLON;
