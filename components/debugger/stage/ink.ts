import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { MARKS, type Mark } from '@/lib/resume/mark';

/** The tokens of the theme as a canvas needs them, read once per theme. */
export interface Ink {
  readonly grid: string;
  readonly axis: string;
  readonly head: string;
  readonly floor: string;
  readonly band: string;
  readonly olderBand: string;
  readonly client: string;
  readonly hole: string;
  readonly blind: string;
  readonly halo: string;
  readonly ground: string;
  readonly lane: string;
  readonly line: string;
  readonly edge: string;
  readonly strong: string;
  readonly text: string;
  readonly faint: string;
  readonly accent: string;
  readonly sans: string;
  readonly mono: string;
  readonly marks: Readonly<Record<Mark, { readonly mark: string; readonly text: string; readonly soft: string }>>;
}

/** Reads the tokens that hold at `element`. */
export function readInk(element: Element): Ink {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const marks = Object.fromEntries(
    MARKS.map((mark) => {
      const name = `--v-${MARK_STYLE[mark].token}`;
      return [mark, { mark: token(name), text: token(`${name}-text`), soft: token(`${name}-soft`) }];
    }),
  ) as Record<Mark, { mark: string; text: string; soft: string }>;
  return {
    grid: token('--p-grid'),
    axis: token('--p-axis'),
    head: token('--p-head'),
    floor: token('--p-floor'),
    band: token('--p-band'),
    olderBand: token('--p-band-2'),
    client: token('--p-client'),
    hole: token('--p-hole'),
    blind: token('--p-blind'),
    halo: token('--p-halo'),
    ground: token('--bg-1'),
    lane: token('--bg-3'),
    line: token('--line-1'),
    edge: token('--line-2'),
    strong: token('--text-1'),
    text: token('--text-2'),
    faint: token('--text-3'),
    accent: token('--accent'),
    sans: token('--font-sans'),
    mono: token('--font-mono'),
    marks,
  };
}
