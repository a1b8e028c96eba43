const BASE = 'http://own.invalid';
const CHARS_MAX = 2_000;

/**
 * The path that a text leads to on this very server, with its query; `/` for anything that could lead elsewhere: another
 * origin, `//host`, a backslash that browsers read as a slash, a scheme, a control character.
 */
export function ownPath(text: string | null | undefined): string {
  if (typeof text !== 'string' || text.length > CHARS_MAX || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/';
  if (!URL.canParse(text, BASE)) return '/';
  const url = new URL(text, BASE);
  // Dots can make a second slash of what had one: `/.//host`.
  if (url.origin !== BASE || url.pathname.startsWith('//')) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
