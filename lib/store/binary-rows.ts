import { clampToInt64 } from '@/lib/base/int64';

const CHUNK_BYTES = 65_536;
/** Fields of fixed size take no more, their length included. */
const FIXED_BYTES_MAX = 20;
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = -1;
const NULL_LENGTH = -1;
/** Postgres counts from 2000 on. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const TWO_32 = 2 ** 32;

/**
 * Rows in COPY's binary format, as bytes in chunks that need not end with a row. Postgres reads numbers, instants and UUIDs as they
 * are, which spares it a sixth of what it spends on a row of text. The order and the types of the fields are the table's.
 */
export class BinaryRows {
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #view = viewOf(this.#chunk);
  #at = 0;
  #full: Buffer[] = [];

  constructor() {
    this.#at += SIGNATURE.copy(this.#chunk);
  }

  /** Whether chunks are full that were not taken. */
  get isFull(): boolean {
    return this.#full.length > 0;
  }

  /** The chunks that are full by now; each is given once. */
  takeFull(): Buffer[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Ends the rows and gives what is left. */
  end(): Buffer[] {
    this.#room(FIXED_BYTES_MAX);
    this.#view.setInt16(this.#at, END);
    this.#at += 2;
    return [...this.takeFull(), this.#chunk.subarray(0, this.#at)];
  }

  begin(fields: number): void {
    this.#room(FIXED_BYTES_MAX);
    this.#view.setInt16(this.#at, fields);
    this.#at += 2;
  }

  smallint(value: number | null): void {
    if (this.#length(value === null ? NULL_LENGTH : 2)) this.#view.setInt16(this.#at - 2, value ?? 0);
  }

  integer(value: number | null): void {
    if (this.#length(value === null ? NULL_LENGTH : 4)) this.#view.setInt32(this.#at - 4, value ?? 0);
  }

  /** What no bigint of Postgres can say is written as the nearest one that can. */
  bigint(value: bigint | null): void {
    if (!this.#length(value === null ? NULL_LENGTH : 8) || value === null) return;
    this.#view.setBigInt64(this.#at - 8, clampToInt64(value));
  }

  /** A bigint that is a safe integer. */
  safeInteger(value: number): void {
    this.#length(8);
    const high = Math.floor(value / TWO_32);
    this.#view.setInt32(this.#at - 8, high);
    this.#view.setUint32(this.#at - 4, value - high * TWO_32);
  }

  double(value: number | null): void {
    if (this.#length(value === null ? NULL_LENGTH : 8)) this.#view.setFloat64(this.#at - 8, value ?? 0);
  }

  boolean(value: boolean): void {
    this.#length(1);
    this.#chunk[this.#at - 1] = value ? 1 : 0;
  }

  /** A timestamptz by its epoch milliseconds. */
  instant(ms: number): void {
    this.safeInteger((ms - POSTGRES_EPOCH_MS) * 1000);
  }

  /** 32 hexadecimal digits, with or without hyphens. */
  uuid(text: string | null): void {
    if (!this.#length(text === null ? NULL_LENGTH : 16) || text === null) return;
    let to = this.#at - 16;
    for (let i = 0; i < text.length; i += 2) {
      if (text.charCodeAt(i) === HYPHEN) i++;
      this.#chunk[to++] = (digit(text.charCodeAt(i)) << 4) | digit(text.charCodeAt(i + 1));
    }
  }

  /** Must not hold NUL, which Postgres cannot store. */
  text(value: string | null): void {
    if (value === null) {
      this.#length(NULL_LENGTH);
      return;
    }
    this.#room(FIXED_BYTES_MAX + bytesAtMost(value));
    const bytes = this.#chunk.write(value, this.#at + 4, 'utf8');
    this.#view.setInt32(this.#at, bytes);
    this.#at += 4 + bytes;
  }

  /** Writes the length of a field and makes room for it; false where there is no field. */
  #length(bytes: number): boolean {
    this.#room(FIXED_BYTES_MAX);
    this.#view.setInt32(this.#at, bytes);
    this.#at += 4;
    if (bytes === NULL_LENGTH) return false;
    this.#at += bytes;
    return true;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    if (this.#at > 0) this.#full.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    this.#view = viewOf(this.#chunk);
    this.#at = 0;
  }
}

const HYPHEN = 45;

/** A unit of a JavaScript string is at most three bytes of UTF-8; what is long is measured rather than given three times its room. */
function bytesAtMost(text: string): number {
  return text.length < CHUNK_BYTES / 8 ? text.length * 3 : Buffer.byteLength(text);
}

/** Of 0-9 the low half of the code, of letters in either case nine more. */
function digit(code: number): number {
  return (code & 15) + (code > 57 ? 9 : 0);
}

function viewOf(chunk: Buffer): DataView {
  return new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
}
