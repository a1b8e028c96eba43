const MIX_A = 0x85ebca6b;
const MIX_B = 0xc2b2ae35;
/** Bits of the second lane that fit beside the first in a safe integer (32 + 21 = 53). */
const HIGH_BITS = 0x1fffff;
const LF = 10;

/** Two words that key a fingerprint; without them nobody can compute or invert one cheaply. */
export interface FingerprintKey {
  readonly a: number;
  readonly b: number;
}

/**
 * Incremental keyed hash of an event's data, 53 bits wide. It answers "the same bytes as before?" for millions
 * of events at a fraction of a microsecond each; it is not a MAC and authenticates nothing. Equal data gives an
 * equal value for any split into pieces.
 */
export class Fingerprint {
  /** Two hashes of each of two lanes, which take the words in turn: neither waits for the word before. */
  private a = 0;
  private b = 0;
  private otherA = 0;
  private otherB = 0;
  private word = 0;
  private filled = 0;
  private length = 0;

  constructor(private readonly key: FingerprintKey) {
    this.reset();
  }

  reset(): void {
    this.a = this.key.a | 0;
    this.b = this.key.b | 0;
    this.otherA = this.b;
    this.otherB = this.a;
    this.word = 0;
    this.filled = 0;
    this.length = 0;
  }

  /** Adds `bytes[start, end)`, of one line of data. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end && this.filled !== 0) this.addByte(bytes[at++] ?? 0);
    at = this.mixWords(bytes, at, end);
    while (at < end) this.addByte(bytes[at++] ?? 0);
    this.length += end - start;
  }

  /** Adds the line end between two lines of data. */
  addLineFeed(): void {
    this.addByte(LF);
  }

  private addByte(byte: number): void {
    this.word |= byte << (this.filled * 8);
    this.filled++;
    if (this.filled === 4) this.mixWord(this.word);
  }

  /** The fingerprint of everything added since the last reset: a non-negative safe integer. */
  value(): number {
    const lastA = Math.imul(this.a ^ this.word, MIX_A) ^ this.length;
    const lastB = Math.imul(this.b ^ this.word, MIX_B) ^ this.filled;
    const a = finish(Math.imul(finish(lastA), MIX_B) ^ this.otherA);
    const b = finish(Math.imul(finish(lastB), MIX_A) ^ this.otherB);
    return (b & HIGH_BITS) * 0x1_0000_0000 + (a >>> 0);
  }

  /** Mixes whole words, in fours as far as they go; answers where it stopped. */
  private mixWords(bytes: Uint8Array, start: number, end: number): number {
    if (start + 4 > end) return start;
    const words = viewOf(bytes.buffer);
    const base = bytes.byteOffset;
    let { a, b, otherA, otherB } = this;
    let at = start;
    for (; at + 16 <= end; at += 16) {
      const first = words.getInt32(base + at, true);
      const second = words.getInt32(base + at + 4, true);
      const third = words.getInt32(base + at + 8, true);
      const fourth = words.getInt32(base + at + 12, true);
      a = nextA(nextA(a, first), third);
      otherA = nextA(nextA(otherA, second), fourth);
      b = nextB(nextB(b, first), third);
      otherB = nextB(nextB(otherB, second), fourth);
    }
    this.a = a;
    this.b = b;
    this.otherA = otherA;
    this.otherB = otherB;
    for (; at + 4 <= end; at += 4) this.mixWord(words.getInt32(base + at, true));
    return at;
  }

  private mixWord(word: number): void {
    const { a, b } = this;
    this.a = this.otherA;
    this.b = this.otherB;
    this.otherA = nextA(a, word);
    this.otherB = nextB(b, word);
    this.word = 0;
    this.filled = 0;
  }
}

function nextA(a: number, word: number): number {
  const mixed = Math.imul(a ^ word, MIX_A);
  return mixed ^ (mixed >>> 13);
}

const nextB = (b: number, word: number): number => Math.imul((b << 5) ^ (b >>> 27) ^ word, MIX_B);

/** The view that was used last: chunks share their memory with many others, and a view is dearer than an event. */
let lastView: DataView = new DataView(new ArrayBuffer(0));

function viewOf(buffer: ArrayBufferLike): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

function finish(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), MIX_A);
  mixed = Math.imul(mixed ^ (mixed >>> 13), MIX_B);
  return mixed ^ (mixed >>> 16);
}
