import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FingerprintKey } from '@/lib/sse/fingerprint';

const TERMINAL_PREFIX = 'tidemark-end.';
/** Keys of sessions that are remembered: a hash costs a tenth of relaying a whole request. */
const KEYS_MAX = 20_000;

/** Everything that is keyed with the installation's secret; tokens and credentials leave it only as hashes. */
export class Credentials {
  readonly fingerprintKey: FingerprintKey;
  private readonly keys = new Map<string, string>();

  constructor(private readonly secret: string) {
    const bytes = createHmac('sha256', secret).update('fingerprint').digest();
    this.fingerprintKey = { a: bytes.readInt32LE(0), b: bytes.readInt32LE(4) };
  }

  /**
   * Who presents a request: a hash of the values of the headers that carry credentials, as many of them as are there; one
   * value for none. `cookie:name` stands for that cookie alone.
   */
  principal(headers: IncomingHttpHeaders, names: readonly string[]): string {
    const presented: string[] = [];
    for (const name of names) {
      const value = credentialOf(headers, name);
      if (value !== null) presented.push(name, value);
    }
    if (presented.length === 0) return 'anonymous';
    // No header holds a NUL, so no value of one can be mistaken for several.
    const text = presented.length === 2 && presented[0] === 'authorization' ? presented[1] : presented.join('\0');
    return this.hash('principal', text ?? '').slice(0, 32);
  }

  /** Key of a session: neither the token nor anything it could be found from. */
  sessionKey(route: string, token: string): string {
    const name = `${route}\0${token}`;
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    if (this.keys.size >= KEYS_MAX) this.keys.clear();
    const key = this.hash('session', name).slice(0, 40);
    this.keys.set(name, key);
    return key;
  }

  /** Name of an upstream among those of all installations. */
  upstreamKey(route: string, url: string): string {
    return this.hash('upstream', `${route}\0${url}`).slice(0, 40);
  }

  digest(text: string): string {
    return this.hash('digest', text).slice(0, 32);
  }

  /** 0 … 99, the same for a session on every replica. */
  bucket(sessionKey: string): number {
    return Number.parseInt(this.hash('bucket', sessionKey).slice(0, 8), 16) % 100;
  }

  /** Id of the event that ends a refused stream. It proves itself, so no replica has to remember it. */
  terminalId(sessionKey: string, nonce: string): string {
    return `${TERMINAL_PREFIX}${nonce}.${this.hash('terminal', `${sessionKey}\0${nonce}`).slice(0, 32)}`;
  }

  isTerminalId(sessionKey: string, id: string): boolean {
    if (!id.startsWith(TERMINAL_PREFIX)) return false;
    const nonce = id.slice(TERMINAL_PREFIX.length).split('.')[0] ?? '';
    const expected = Buffer.from(this.terminalId(sessionKey, nonce));
    const given = Buffer.from(id);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  private hash(purpose: string, text: string): string {
    return createHmac('sha256', this.secret).update(`${purpose}\0`).update(text).digest('hex');
  }
}

function credentialOf(headers: IncomingHttpHeaders, name: string): string | null {
  const [header = '', cookie] = name.split(':', 2);
  const value = headers[header];
  const text = Array.isArray(value) ? value.join(', ') : (value ?? null);
  if (text === null || cookie === undefined) return text;
  const pairs = text.split(';').filter((pair) => pair.slice(0, pair.indexOf('=')).trim() === cookie);
  return pairs.length === 0 ? null : pairs.map((pair) => pair.trim()).join(';');
}
