import { ANYONE, type Guard } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import type { KeyRing } from '@/lib/http/key-ring';

/**
 * A guard that asks every request for a key of the ring as `Authorization: Bearer`, unless what it calls is open
 * to anybody. An empty ring lets nobody in.
 *
 * @throws HttpError `key_missing`, `key_unknown`
 */
export function guardByKey(ring: KeyRing): Guard {
  return (request, scope) => {
    if (scope === 'none') return ANYONE;
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined)
      throw new HttpError('key_missing', 'the request carries no key', { headers: { 'www-authenticate': 'Bearer' } });
    const caller = ring.callerOf(given);
    if (caller === null) throw new HttpError('key_unknown', 'the key is not known here, was revoked or has expired');
    return caller;
  };
}
