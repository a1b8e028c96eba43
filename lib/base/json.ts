const LONG_INTEGER = /[:,[\s]-?\d{16,}/;
/**
 * `JSON.parse` that never rounds: an integer of 16 or more digits arrives as its decimal string, since
 * positions reach 2^63−1 and a JSON number may carry one (contract section 1). Shorter texts without such a
 * number take the native path.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJsonExactly(text: string): unknown {
  if (!mayHoldLongInteger(text)) return JSON.parse(text);
  return JSON.parse(quoteLongIntegers(text));
}

/** Whether any JSON reader that rounds could misread the text: false is certain, true is not. */
export const mayHoldLongInteger = (text: string): boolean => LONG_INTEGER.test(text) || /^-?\d{16,}/.test(text);

/** Reads whole tokens, so that digits inside text, fractions and exponents are never taken for an integer. */
function quoteLongIntegers(text: string): string {
  const token = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  let quoted = '';
  let copied = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = endOfString(text, token.lastIndex);
    else if (/^-?\d{16,}$/.test(match[0])) {
      quoted += `${text.slice(copied, match.index)}"${match[0]}"`;
      copied = token.lastIndex;
    }
  }
  return quoted + text.slice(copied);
}

/** A loop, because a pattern for a whole string overflows the regular expression stack on megabytes of escapes. */
function endOfString(text: string, start: number): number {
  const stop = /["\\]/g;
  stop.lastIndex = start;
  for (let match = stop.exec(text); match !== null; match = stop.exec(text)) {
    if (match[0] === '"') return stop.lastIndex;
    stop.lastIndex += 1;
  }
  return text.length;
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
