import { createHmac, randomBytes } from 'node:crypto';

/** What a link lets its holder do: become or mend a member, once; or look at one incident. */
export type LinkUse = 'tdi' | 'tds';

const SECRET_BYTES = 32;

/** A token of 256 random bits; its first letters let scanners of leaked secrets recognise it. */
export function newLinkToken(use: LinkUse): string {
  return `${use}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** Hashes under the installation's secret what must not be readable in a table, each purpose for itself; hexadecimal. */
export class LinkHasher {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Null for a text that is no token of this use: nothing is looked up for it. */
  hashOf(use: LinkUse, token: string): string | null {
    return new RegExp(`^${use}_[A-Za-z0-9_-]{43}$`).test(token) ? this.keyed(`link ${use}`, token) : null;
  }

  /** A keyed hash of any text. */
  keyed(purpose: string, text: string): string {
    return createHmac('sha256', this.#secret).update(`${purpose}\0`).update(text).digest('hex');
  }
}

/** A text without the tokens in it: addresses are logged, tokens never are. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/(td[is]_)[A-Za-z0-9_-]+/g, '$1…');
}
