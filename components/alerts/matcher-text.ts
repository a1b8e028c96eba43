import { MATCH_OPERATORS, type Matcher } from '@/lib/alerting/silence';

/** A matcher as it is typed: a name, one of `=`, `!=`, `~`, `!~`, and a value, in quotes where it holds spaces or quotes. */
const TYPED = /\s*([A-Za-z_][A-Za-z0-9_]*)\s*(!=|!~|=|~)\s*("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/y;
const MATCHERS_MAX = 20;

/** Reads typed matchers, separated by spaces; null when any of it is not a matcher, or there is none. */
export function parseMatchers(text: string): Matcher[] | null {
  const matchers: Matcher[] = [];
  TYPED.lastIndex = 0;
  while (TYPED.lastIndex < text.trimEnd().length) {
    const [whole, name, op, value] = TYPED.exec(text) ?? [];
    const known = MATCH_OPERATORS.find((one) => one === op);
    if (whole === undefined || name === undefined || value === undefined || known === undefined) return null;
    matchers.push({ name, op: known, value: unquoted(value) });
  }
  return matchers.length === 0 || matchers.length > MATCHERS_MAX ? null : matchers;
}

/** Matchers as one would type them. */
export function matchersText(matchers: readonly Matcher[]): string {
  return matchers.map(({ name, op, value }) => `${name}${op}${quoted(value)}`).join(' ');
}

const quoted = (value: string): string => (/^[^\s"\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);
const unquoted = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
