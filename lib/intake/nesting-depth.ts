import { closingQuote } from '@/lib/base/json-marks';

const QUOTE = 34;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** Whether objects and arrays are nested deeper than `depthMax` in valid JSON text. Linear, without recursion. */
export function isNestedDeeper(json: string, depthMax: number): boolean {
  // Most records hold a handful of objects and arrays in all; counting those is cheaper than following them.
  if (occurrences(json, '{', depthMax) + occurrences(json, '[', depthMax) <= depthMax) return false;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) i = closingQuote(json, i);
    else if (OPENING.has(char) && ++depth > depthMax) return true;
    else if (CLOSING.has(char)) depth--;
  }
  return false;
}

/** How often a character occurs, counted up to one more than `max`. */
function occurrences(json: string, char: string, max: number): number {
  let count = 0;
  for (let at = json.indexOf(char); at >= 0 && count <= max; at = json.indexOf(char, at + 1)) count++;
  return count;
}
