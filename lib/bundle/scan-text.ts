/** What a look at a JSON text's brackets tells before anything is built from it. */
export interface TextScan {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Offset at which the nesting first went beyond the limit; null when it never did. */
  readonly tooDeepAt: number | null;
  /** Whether the text ends inside a string, an array or an object. */
  readonly isCutShort: boolean;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Follows strings and brackets in one pass, in constant room, so that a hostile text costs its length and no more. */
export function scanText(text: string, depthMax: number): TextScan {
  let open = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
      if (at >= text.length) return { depth, tooDeepAt: null, isCutShort: true };
    } else if (OPENING.has(code)) {
      open += 1;
      if (open > depthMax) return { depth: open, tooDeepAt: at, isCutShort: false };
      depth = Math.max(depth, open);
    } else if (CLOSING.has(code)) open -= 1;
  }
  return { depth, tooDeepAt: null, isCutShort: open > 0 || text.trim() === '' };
}

/** Offset of the quote that ends a string; the length of the text when none does. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
