/** What ended: a message, in one frame or several, or a control frame, which may lie between those. */
export interface Ended {
  readonly isControl: boolean;
  /** With the headers of its frames. */
  readonly bytes: number;
}

/** Two bytes, a length of eight, a mask of four. */
const HEAD_BYTES_MAX = 14;
const CONTROL = 0x08;
const FINAL = 0x80;
const MASKED = 0x80;

/** Follows the frames of a WebSocket through the chunks that its bytes come in, and tells where messages end (RFC 6455, section 5.2). */
export class MessageEnds {
  readonly #head = Buffer.alloc(HEAD_BYTES_MAX);
  #headBytes = 0;
  /** Of the payload of the frame whose header is whole. */
  #payloadLeft = 0;
  #frameBytes = 0;
  /** Of whole frames of a message that goes on. */
  #messageBytes = 0;

  /** Bytes of messages and frames that have not ended. */
  get unfinished(): number {
    return this.#messageBytes + this.#frameBytes;
  }

  /** What the chunk ends, in order. */
  push(chunk: Uint8Array): Ended[] {
    const ended: Ended[] = [];
    for (let rest = chunk; rest.length > 0; ) {
      const taken = this.#takeOf(rest);
      this.#frameBytes += taken;
      rest = rest.subarray(taken);
      if (this.#headBytes === this.#headLength && this.#payloadLeft === 0) this.#endFrame(ended);
    }
    return ended;
  }

  /** Bytes that were taken: of the header until it is whole, then of the payload. */
  #takeOf(rest: Uint8Array): number {
    if (this.#headBytes < this.#headLength) {
      this.#head.set(rest.subarray(0, 1), this.#headBytes++);
      if (this.#headBytes === this.#headLength) this.#payloadLeft = this.#payloadLength;
      return 1;
    }
    const taken = Math.min(rest.length, this.#payloadLeft);
    this.#payloadLeft -= taken;
    return taken;
  }

  #endFrame(ended: Ended[]): void {
    const first = this.#head.readUInt8(0);
    const bytes = this.#frameBytes;
    this.#headBytes = 0;
    this.#frameBytes = 0;
    if ((first & CONTROL) !== 0) ended.push({ isControl: true, bytes });
    else if ((first & FINAL) === 0) this.#messageBytes += bytes;
    else {
      ended.push({ isControl: false, bytes: this.#messageBytes + bytes });
      this.#messageBytes = 0;
    }
  }

  get #headLength(): number {
    if (this.#headBytes < 2) return 2;
    const second = this.#head.readUInt8(1);
    const ofLength = { 126: 2, 127: 8 }[second & 0x7f] ?? 0;
    return 2 + ofLength + ((second & MASKED) === 0 ? 0 : 4);
  }

  get #payloadLength(): number {
    const short = this.#head.readUInt8(1) & 0x7f;
    if (short === 126) return this.#head.readUInt16BE(2);
    return short === 127 ? Number(this.#head.readBigUInt64BE(2)) : short;
  }
}
