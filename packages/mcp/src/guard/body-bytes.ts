/** A longer body is passed on unread. */
export const BODY_BYTES_MAX = 256 * 1024;
/** A chunk that is a part of a larger piece of memory than this would keep all of it for as long as its call takes. */
const SHARED_BYTES_MAX = 4096;

/**
 * The bytes of a request's body, in whatever pieces they come: the one piece that most bodies are, as it is, and
 * otherwise memory that doubles. So a body costs in proportion to its bytes, however small its pieces are.
 */
export class BodyBytes {
  #memory: Buffer | null = null;
  #length = 0;

  /** Whether it has become longer than is read; nothing of it is kept then. */
  get isTooLong(): boolean {
    return this.#length > BODY_BYTES_MAX;
  }

  /** Adds a piece, which does not change later. */
  add(piece: Buffer): void {
    if (this.isTooLong) return;
    const length = this.#length + piece.length;
    if (length > BODY_BYTES_MAX) this.#memory = null;
    else if (this.#memory === null) this.#memory = piece.buffer.byteLength > SHARED_BYTES_MAX ? Buffer.from(piece) : piece;
    else this.#append(this.#memory, piece, length);
    this.#length = length;
  }

  /** Everything that came, once; null where nothing did, or too much. */
  take(): Buffer | null {
    const bytes = this.#memory?.subarray(0, this.#length) ?? null;
    this.#memory = null;
    return bytes;
  }

  #append(memory: Buffer, piece: Buffer, length: number): void {
    let room = memory;
    if (length > memory.length) {
      room = Buffer.allocUnsafeSlow(Math.min(BODY_BYTES_MAX, Math.max(length, 2 * memory.length)));
      memory.copy(room, 0, 0, this.#length);
    }
    piece.copy(room, this.#length);
    this.#memory = room;
  }
}
