import type { PositionRange } from '@/lib/base/ranges';
import type { Mark } from '@/lib/resume/mark';
import type { Decision } from '@/lib/resume/types';

/** The log of a stream from `x` on, until the next step says otherwise; null where it is not known. */
export interface LogStep {
  readonly x: number;
  readonly floor: bigint | null;
  readonly head: bigint | null;
}

/** A hole in the log while it was there. */
export interface HoleSpan {
  readonly fromX: number;
  readonly toX: number;
  readonly range: PositionRange;
}

/** One generation's part of the picture. Positions of different stretches are different histories. */
export interface Stretch {
  readonly generation: string | null;
  readonly fromX: number;
  readonly toX: number;
  /** What began it, such as `boot n1` or `restored`; null for the first one. */
  readonly cause: string | null;
  readonly log: readonly LogStep[];
  readonly holes: readonly HoleSpan[];
}

/** What the client holds: up to `position` from `x` on; away while no connection stands. */
export interface ClientPoint {
  readonly x: number;
  readonly position: bigint;
  readonly isAway: boolean;
}

export interface PlotAttempt {
  /** Key of the attempt in lists and selections. */
  readonly key: string;
  readonly x: number;
  readonly conn: string | null;
  /** Null when the attempt presented none, or none that could be placed. */
  readonly cursor: bigint | null;
  readonly mark: Mark;
  /** What the client would miss, or missed. */
  readonly gaps: readonly PositionRange[];
  readonly gapCount: bigint | null;
  /** What was replayed. */
  readonly replay: PositionRange | null;
}

/**
 * Everything that the position plot draws, and nothing about where it came from. `x` is epoch milliseconds on a
 * time axis, the order of records on an order axis (a history that carries no clock).
 */
export interface PlotData {
  readonly axis: 'time' | 'order';
  readonly fromX: number;
  readonly toX: number;
  readonly stretches: readonly Stretch[];
  /** One line per stretch that a client was seen in. */
  readonly clients: readonly (readonly ClientPoint[])[];
  readonly attempts: readonly PlotAttempt[];
}

/** The mark of an attempt that was judged with more than its record; what is not given is judged from the record. */
export interface KnownMark {
  readonly mark: Mark;
  /** What the rules say, in positions of the picture; left out where only the mark is known. */
  readonly ruled?: Decision | null;
}
