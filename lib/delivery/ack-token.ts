import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What an acknowledgement link stands for. */
export interface AckClaim {
  readonly rule: string;
  readonly groupKey: string;
  readonly episode: number;
  readonly expiresAtMs: number;
}

/** A link outlives the longest on-call shift; an older page is answered in the product. */
const VALID_MS = 7 * 86_400_000;

/** Signs and reads the tokens of acknowledgement links: whoever holds one may acknowledge that episode, and nothing else. */
export class AckTokens {
  readonly #key: Buffer;

  constructor(installSecret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', installSecret, 'tidemark', 'alert acknowledgement links', 32));
  }

  sign(rule: string, groupKey: string, episode: number, nowMs: number): string {
    const payload = Buffer.from(JSON.stringify([rule, groupKey, episode, nowMs + VALID_MS])).toString('base64url');
    return `${payload}.${this.#mac(payload).toString('base64url')}`;
  }

  /** Null for a token that is altered, foreign or expired. */
  read(token: string, nowMs: number): AckClaim | null {
    const [payload, mac] = token.split('.', 2);
    if (payload === undefined || mac === undefined) return null;
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const claim: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (!Array.isArray(claim)) return null;
    const [rule, groupKey, episode, expiresAtMs]: unknown[] = claim;
    if (typeof rule !== 'string' || typeof groupKey !== 'string' || typeof episode !== 'number' || typeof expiresAtMs !== 'number')
      return null;
    return expiresAtMs > nowMs ? { rule, groupKey, episode, expiresAtMs } : null;
  }

  #mac(payload: string): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest();
  }
}
