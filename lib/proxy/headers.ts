import { foreignCookies, setsOwnCookie } from '@/lib/proxy/own-cookies';

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Names, in lower case, that `Connection` headers declare to be of this hop only (RFC 9110, section 7.6.1); null where none does. */
export function connectionNames(raw: readonly string[]): ReadonlySet<string> | null {
  let names: Set<string> | null = null;
  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1] ?? '';
    if (raw[i]?.toLowerCase() !== 'connection' || value === 'keep-alive' || value === 'close') continue;
    names ??= new Set();
    for (const name of value.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}

/** The body is passed on, so what frames it is, whatever `Connection` says of it. */
const FRAMING = 'content-length';

/**
 * Raw headers for the next hop: name case, order, repetition and bytes as they came, without what belongs to
 * one hop, and without the cookies of this product's own sign-in in either direction. `replaced` names (lower case)
 * are left out and appended with the given value, or dropped when null.
 */
export function forwardHeaders(raw: readonly string[], replaced: Readonly<Record<string, string | null>> = {}): string[] {
  const named = connectionNames(raw);
  const headers: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower in replaced || (lower !== FRAMING && named?.has(lower))) continue;
    const value = isCookie(lower) ? relayedCookie(lower, raw[i + 1] ?? '') : (raw[i + 1] ?? '');
    if (value !== null) headers.push(name, value);
  }
  for (const [name, value] of Object.entries(replaced)) if (value !== null) headers.push(name, value);
  return headers;
}

const isCookie = (name: string): boolean => name === 'cookie' || name === 'set-cookie';

function relayedCookie(name: string, value: string): string | null {
  if (name === 'cookie') return foreignCookies(value);
  return setsOwnCookie(value) ? null : value;
}

/** Whether a text can be the value of a header. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** One header's value, the first when it is repeated; null when absent. */
export function headerValue(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? (value[0] ?? null) : value;
}
