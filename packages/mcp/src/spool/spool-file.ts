import { closeSync, fsync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';

/** A file with a head that is written anew in its place, and lines after it. Whatever fails throws and leaves it as it was. */
export class SpoolFile {
  readonly #file: number;
  readonly #headBytes: number;
  #size: number;

  /** @param head of the length that it will always have */
  constructor(path: string, head: string) {
    this.#file = openSync(path, 'wx', 0o600);
    this.#headBytes = Buffer.byteLength(head);
    this.#size = this.#headBytes;
    try {
      this.putHead(head);
    } catch (cause) {
      closeSync(this.#file);
      rmSync(path, { force: true });
      throw cause;
    }
  }

  get size(): number {
    return this.#size;
  }

  putHead(head: string): void {
    this.#put(Buffer.from(head), 0);
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    try {
      this.#put(bytes, this.#size);
    } catch (cause) {
      ftruncateSync(this.#file, this.#size);
      throw cause;
    }
    this.#size += bytes.length;
  }

  /** Leaves the head alone. */
  empty(): void {
    ftruncateSync(this.#file, this.#headBytes);
    this.#size = this.#headBytes;
  }

  /** Asks the system to write out, without waiting. */
  sync(): void {
    fsync(this.#file, () => undefined);
  }

  close(): void {
    closeSync(this.#file);
  }

  #put(bytes: Buffer, position: number): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, position + at);
  }
}
