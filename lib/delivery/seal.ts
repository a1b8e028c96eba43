import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** A sealed text that cannot be opened: another key, another purpose, or altered. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';
  readonly code = 'unseal_failed';
}

/** Keeps texts unreadable and unalterable at rest, under a key that belongs to one installation and one use. */
export class Seal {
  readonly #key: Buffer;

  /** @param installSecret the installation's secret; the key is derived from it and from `purpose`. */
  constructor(installSecret: Uint8Array, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', installSecret, 'tidemark', purpose, 32));
  }

  /** @param context what the text belongs to: it opens only under the same context. */
  seal(text: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString('base64url')}`;
  }

  /** @throws UnsealError */
  open(sealed: string, context: string): string {
    const [version, encoded] = sealed.split('.', 2);
    const bytes = Buffer.from(encoded ?? '', 'base64url');
    if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) throw new UnsealError('the sealed text has another form');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new UnsealError('the sealed text was altered or belongs to another installation', { cause });
    }
  }
}
