import { isNode, LineCounter, parseDocument } from 'yaml';
import { err, ok, type Result } from '@/lib/base/result';

/** The content of a file, and on which line a field of it stands. */
export interface ReadText {
  readonly value: unknown;
  /** Line of the field, or of the nearest one above it that is there, from 1; null where nothing is. */
  readonly lineOf: (path: string) => number | null;
}

/**
 * Reads JSON or YAML 1.2, of which JSON is a part. Aliases are bounded, a key that stands twice is an error, and no
 * message quotes the text, which may hold a secret.
 */
export function readText(text: string): Result<ReadText, { readonly line: number | null; readonly message: string }> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined)
    return err({ line: lines.linePos(broken.pos[0]).line, message: `cannot be read, neither as JSON nor as YAML (${broken.code})` });
  const lineOf = (path: string): number | null => {
    const parts = partsOf(path);
    for (let depth = parts.length; depth >= 0; depth -= 1) {
      const node = document.getIn(parts.slice(0, depth), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return null;
  };
  try {
    return ok({ value: document.toJS(), lineOf });
  } catch {
    // The only failure of a document without errors: an alias that leads nowhere, or too many of them.
    return err({ line: null, message: 'cannot be read: its aliases lead nowhere, or to too much' });
  }
}

/** `alerts.rules[0].name` as the steps that lead there. */
const partsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)));
