import type { Mark } from '@/lib/resume/mark';

export interface MarkStyle {
  /** Suffix of the colour tokens: `--v-<token>`, `--v-<token>-text`, `--v-<token>-soft`. */
  readonly token: 'unsafe' | 'bad' | 'over' | 'refused' | 'safe' | 'fresh' | 'unver';
  readonly word: string;
  readonly meaning: string;
}

/** How each mark is coloured and called. Shapes are drawn by `MarkShape`. */
export const MARK_STYLE: Readonly<Record<Mark, MarkStyle>> = {
  unsafe_resume: { token: 'unsafe', word: 'unsafe resume', meaning: 'resumed over a gap or another generation' },
  bad_replay: { token: 'bad', word: 'bad replay', meaning: 'right to resume; missing, extra or repeated events' },
  over_refusal: { token: 'over', word: 'over-refusal', meaning: 'refused, and could have resumed' },
  refused: { token: 'refused', word: 'refused, rightly', meaning: 'the cursor could not be served whole' },
  resumed: { token: 'safe', word: 'safe resume', meaning: 'resumed, and every position was there' },
  fresh: { token: 'fresh', word: 'fresh', meaning: 'no cursor, or a protocol revision without resumption' },
  unverifiable: { token: 'unver', word: 'unverifiable', meaning: 'facts are missing: unknown, not zero' },
};

export const markColour = (mark: Mark): string => `var(--v-${MARK_STYLE[mark].token})`;
export const markTextColour = (mark: Mark): string => `var(--v-${MARK_STYLE[mark].token}-text)`;
export const markSoftColour = (mark: Mark): string => `var(--v-${MARK_STYLE[mark].token}-soft)`;
