import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX_BYTES = 6;
const SECRET_BYTES = 32;
const FORM = /^tdm_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;

/** A new key: its whole text, which is shown once, and the part of it by which it is found again. */
export interface NewKeyText {
  readonly text: string;
  readonly prefix: string;
}

/** Makes a key of 256 random bits; `tdm_` lets scanners of leaked secrets recognise it. */
export function newKeyText(): NewKeyText {
  const prefix = randomBytes(PREFIX_BYTES).toString('hex');
  return { text: `tdm_${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`, prefix };
}

/** The part of a key's text by which it is found; null when the text is not a key of ours. */
export function prefixOf(text: string): string | null {
  return FORM.exec(text)?.[1] ?? null;
}

/** Hashes keys under the installation's secret, so that the table alone does not let anybody test a guess. */
export class KeyHasher {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  hashOf(text: string): Buffer {
    return createHmac('sha256', this.#secret).update('access key\0').update(text).digest();
  }

  /** Compares in constant time. */
  isSame(text: string, hash: Buffer): boolean {
    return timingSafeEqual(this.hashOf(text), hash);
  }
}
