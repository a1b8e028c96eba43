/** How long what was stored is kept. */
export interface Retention {
  /** Whole days of records and attempts, beside the present one. */
  readonly recordsDays: number;
  /** Whole days of rollups: what charts and totals are made of. Never fewer than of records. */
  readonly rollupsDays: number;
}

/**
 * Records are kept for as long as the intake believes instants of the past, so that none of them can arrive again
 * after its day was dropped and be counted twice; rollups, which are small, for five years.
 */
export const RETENTION_DEFAULT: Retention = { recordsDays: 400, rollupsDays: 1_830 };
export const RETENTION_DAYS_MAX = 36_600;

const DAY_MS = 86_400_000;

/** First instant of the oldest day that is kept; the present day and `days` whole ones before it are. */
export function oldestKeptMs(days: number, nowMs: number): number {
  return Math.max(0, (Math.floor(nowMs / DAY_MS) - days) * DAY_MS);
}
