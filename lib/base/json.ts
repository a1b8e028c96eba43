const LONG_INTEGER = /[:,[\s]-?\d{16,}/;
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/**
 * `JSON.parse` that never rounds: an integer of 16 or more digits arrives as its decimal string, since
 * positions reach 2^63−1 and a JSON number may carry one (contract section 1). Shorter texts without such a
 * number take the native path.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJsonExactly(text: string): unknown {
  if (!LONG_INTEGER.test(text) && !/^-?\d{16,}/.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(STRING_OR_LONG_INTEGER, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}

/**
 * JSON text with object keys in code-unit order, so that equal values give equal bytes. Undefined members are
 * left out, as `JSON.stringify` does.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member;
    const entries = Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  });
}
