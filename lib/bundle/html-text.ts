const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Turns the direction of writing, or cannot be seen: shown by their code, so that no text can pose as another. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;

/** Any value as text that is safe between tags and in quoted attributes. */
export function html(value: unknown): string {
  return String(value)
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
    .replace(HIDDEN, (char) => (char === '\n' || char === '\t' ? char : `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`));
}
