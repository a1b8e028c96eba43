const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** How deep objects and arrays are nested in valid JSON text. Linear, without recursion. */
export function nestingDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = closingQuote(json, i);
    else if (OPENING.has(char)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(char)) depth--;
  }
  return deepest;
}

function closingQuote(json: string, opening: number): number {
  let i = opening + 1;
  while (i < json.length && json.charCodeAt(i) !== QUOTE) i += json.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
