import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError } from '@/lib/http/http-error';

/** Paths that tell nothing but whether the process is well; whatever watches it need not hold a key. */
const OPEN = /^\/(?:healthz|readyz)(?:$|\?)/;
/** A receiver of an alert acknowledges by a signed link, which is its key. */
const SIGNED = /^\/api\/v1\/alerts\/ack(?:\/|\?|$)/;

/**
 * A guard that asks every request for one of `keys` as `Authorization: Bearer`. Keys are held as hashes and all of
 * them are compared in constant time. Without a key configured nobody passes.
 *
 * @throws HttpError `key_missing`, `key_unknown`
 */
export function guardByKey(keys: readonly string[]): (request: IncomingMessage) => void {
  const hashes = keys.map(hashOf);
  return (request) => {
    const url = request.url ?? '';
    if (OPEN.test(url) || SIGNED.test(url)) return;
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined)
      throw new HttpError('key_missing', 'the request carries no key', { headers: { 'www-authenticate': 'Bearer' } });
    const hash = hashOf(given);
    let isKnown = false;
    for (const known of hashes) isKnown = timingSafeEqual(known, hash) || isKnown;
    if (!isKnown) throw new HttpError('key_unknown', 'the key is not known here');
  };
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();
