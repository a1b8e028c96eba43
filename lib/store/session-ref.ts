import { createHmac } from 'node:crypto';

const REF_HEX_DIGITS = 32;
/** The session of records that do not say of which they are (contract section 5). */
const UNNAMED_SESSION = 'S1';
/** Tokens whose reference is remembered, since a session sends many records and a keyed hash costs microseconds. */
const REMEMBERED_MAX = 50_000;

/**
 * Names sessions without keeping their tokens: a token is a credential, its keyed hash (128 bits, per server) is
 * not. The same token always has the same reference under one secret.
 */
export class SessionRefs {
  readonly #secret: Uint8Array;
  #remembered = new Map<string, string>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** The session's reference, 32 hexadecimal digits. */
  refOf(server: string, token: string): string {
    const key = `${server}\0${token}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const ref = createHmac('sha256', this.#secret).update(key).digest('hex').slice(0, REF_HEX_DIGITS);
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered = new Map();
    this.#remembered.set(key, ref);
    return ref;
  }

  /** The reference of the session that a server's records without any session belong to. */
  unnamedOf(server: string): string {
    return this.refOf(server, UNNAMED_SESSION);
  }
}

/** Short form of a reference for people: `7f3a…c21d`. */
export function sessionLabel(ref: string): string {
  return `${ref.slice(0, 4)}…${ref.slice(-4)}`;
}
