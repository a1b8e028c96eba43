import { SIGN_IN_COOKIE_PREFIX } from '@/lib/http/cookie-prefix';

/** A cookie of this product, with the prefixes that browsers give a meaning. */
const OWN = new RegExp(`^(?:__Secure-|__Host-)?${SIGN_IN_COOKIE_PREFIX}\\.`);

/**
 * What a `Cookie` header says to an upstream: not that of Tidemark's own sign-in, which browsers send along where the
 * proxy shares its origin. Null where nothing else is left. The bytes stay as they came where there is none of ours.
 */
export function foreignCookies(value: string): string | null {
  if (!value.includes(SIGN_IN_COOKIE_PREFIX)) return value;
  const pairs = value.split(';');
  const rest = pairs.filter((pair) => !OWN.test(pair.trim()));
  if (rest.length === pairs.length) return value;
  const text = rest.join(';').trim();
  return text === '' ? null : text;
}

/** Whether an upstream's `Set-Cookie` would replace the sign-in of this product. */
export const setsOwnCookie = (value: string): boolean => OWN.test(value.trim());
