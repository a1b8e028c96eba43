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
  /** By server, then by token: a key made of both would be put together and hashed anew for every record. */
  readonly #remembered = new Map<string, Map<string, string>>();
  #count = 0;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** The session's reference, 32 hexadecimal digits. */
  refOf(server: string, token: string): string {
    return this.#remembered.get(server)?.get(token) ?? this.#remember(server, token);
  }

  #remember(server: string, token: string): string {
    const ref = createHmac('sha256', this.#secret).update(`${server}\0${token}`).digest('hex').slice(0, REF_HEX_DIGITS);
    if (this.#count++ >= REMEMBERED_MAX) {
      this.#remembered.clear();
      this.#count = 1;
    }
    const ofServer = this.#remembered.get(server);
    if (ofServer === undefined) this.#remembered.set(server, new Map([[token, ref]]));
    else ofServer.set(token, ref);
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
