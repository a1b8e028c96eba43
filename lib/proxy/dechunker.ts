const CR = 13;
const LF = 10;
/** Size lines and trailers longer than this are no honest framing. */
const LINE_BYTES_MAX = 16 * 1024;
/** Hexadecimal digits of a chunk's size: up to 2^48 − 1 bytes. */
const SIZE_DIGITS_MAX = 12;

enum State {
  SizeFirst,
  Size,
  Extension,
  SizeLf,
  Data,
  DataCr,
  DataLf,
  TrailerFirst,
  Trailer,
  TrailerLf,
  EndLf,
  Done,
  Broken,
}

/**
 * Takes the chunked framing (RFC 9112, section 7.1) off a body that comes in pieces, in place: what is left of a
 * piece is `buffer[start, end)`. Strict: anything but CRLF line ends, or a size that is none, breaks it for good.
 */
export class Dechunker {
  start = 0;
  end = 0;
  private state = State.SizeFirst;
  /** Of the chunk whose size is being read, then bytes of it still to come. */
  private left = 0;
  /** Digits or bytes of the current line. */
  private lineBytes = 0;

  /** The last chunk and its trailers were read. */
  get isDone(): boolean {
    return this.state === State.Done;
  }

  get isBroken(): boolean {
    return this.state === State.Broken;
  }

  /** Reads `buffer[from, to)` and moves the payload together; bytes after the body's end are left alone. */
  decode(buffer: Buffer, from: number, to: number): void {
    this.start = from;
    this.end = from;
    let at = from;
    while (at < to && this.state < State.Done) {
      if (this.state === State.Data) at = this.keep(buffer, at, to);
      else this.step(buffer[at++] ?? 0);
    }
  }

  private keep(buffer: Buffer, at: number, to: number): number {
    const next = Math.min(to, at + this.left);
    if (this.end === this.start) {
      this.start = at;
      this.end = next;
    } else {
      buffer.copyWithin(this.end, at, next);
      this.end += next - at;
    }
    this.left -= next - at;
    if (this.left === 0) this.state = State.DataCr;
    return next;
  }

  private step(byte: number): void {
    if (this.state <= State.SizeLf) this.stepSize(byte);
    else if (this.state === State.DataCr) this.expect(byte, CR, State.DataLf);
    else if (this.state === State.DataLf) {
      this.lineBytes = 0;
      this.expect(byte, LF, State.SizeFirst);
    } else this.stepTrailer(byte);
  }

  private stepSize(byte: number): void {
    if (this.state === State.SizeLf) {
      this.expect(byte, LF, this.left === 0 ? State.TrailerFirst : State.Data);
      return;
    }
    if (this.state === State.Extension) {
      this.skipTo(byte, State.SizeLf);
      return;
    }
    const digit = hexDigit(byte);
    if (digit !== -1 && this.lineBytes < SIZE_DIGITS_MAX) {
      this.left = this.left * 16 + digit;
      this.lineBytes++;
      this.state = State.Size;
    } else if (this.state === State.SizeFirst) this.state = State.Broken;
    else if (byte === CR) this.state = State.SizeLf;
    else this.state = byte === 59 || byte === 32 || byte === 9 ? State.Extension : State.Broken;
  }

  private stepTrailer(byte: number): void {
    if (this.state === State.TrailerFirst) {
      this.lineBytes = 0;
      this.state = byte === CR ? State.EndLf : State.Trailer;
    } else if (this.state === State.Trailer) this.skipTo(byte, State.TrailerLf);
    else this.expect(byte, LF, this.state === State.EndLf ? State.Done : State.TrailerFirst);
  }

  /** Skips the rest of a line up to its CR. */
  private skipTo(byte: number, next: State): void {
    if (byte === CR) this.state = next;
    else if (byte === LF || ++this.lineBytes > LINE_BYTES_MAX) this.state = State.Broken;
  }

  private expect(byte: number, wanted: number, next: State): void {
    this.state = byte === wanted ? next : State.Broken;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
