const REFERENCE = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;
const NAMED = /"session":"([0-9a-f]{32})"/g;

/**
 * A text with every session reference replaced by a short name, `S1` for the first of `sessions`: for readers who may see
 * what happened and go nowhere from there. A reference in a member `session` that is none of them becomes `S0`.
 */
export function withSessionNames(text: string, sessions: readonly string[]): string {
  const names = new Map(sessions.map((ref, index) => [ref, `S${index + 1}`]));
  for (const [, ref = ''] of text.matchAll(NAMED)) if (!names.has(ref)) names.set(ref, 'S0');
  return text.replaceAll(REFERENCE, (ref) => names.get(ref) ?? ref);
}
