const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a page looks at: the time up to now, or a stretch with two ends. Instants are epoch milliseconds. */
export type TimeRange =
  | { readonly kind: 'relative'; readonly preset: Preset }
  | { readonly kind: 'absolute'; readonly fromMs: number; readonly toMs: number };

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const PRESETS = ['15m', '1h', '3h', '12h', '24h', '7d', '30d'] as const;
export type Preset = (typeof PRESETS)[number];

const PRESET_FACTS: Readonly<Record<Preset, { readonly ms: number; readonly words: string }>> = {
  '15m': { ms: 15 * MINUTE_MS, words: 'Last 15 minutes' },
  '1h': { ms: HOUR_MS, words: 'Last hour' },
  '3h': { ms: 3 * HOUR_MS, words: 'Last 3 hours' },
  '12h': { ms: 12 * HOUR_MS, words: 'Last 12 hours' },
  '24h': { ms: DAY_MS, words: 'Last 24 hours' },
  '7d': { ms: 7 * DAY_MS, words: 'Last 7 days' },
  '30d': { ms: 30 * DAY_MS, words: 'Last 30 days' },
};

export const DEFAULT_RANGE: TimeRange = { kind: 'relative', preset: '3h' };

/** Stretches from this length on begin with the hour that their begin lies in: their first bar is whole, and rollups answer for all of it. */
const WHOLE_HOURS_FROM_MS = 3 * HOUR_MS;

/** The stretch that a range means at `nowMs`. */
export function spanOf(range: TimeRange, nowMs: number): Span {
  if (range.kind === 'absolute') return range;
  const { ms } = PRESET_FACTS[range.preset];
  const fromMs = nowMs - ms;
  return { fromMs: isWholeHours(range.preset) ? Math.floor(fromMs / HOUR_MS) * HOUR_MS : fromMs, toMs: nowMs };
}

/** Whether a preset's range begins with an hour and so is longer than its name, by less than an hour. */
export function isWholeHours(preset: Preset): boolean {
  return PRESET_FACTS[preset].ms >= WHOLE_HOURS_FROM_MS;
}

export function presetWords(preset: Preset): string {
  return PRESET_FACTS[preset].words;
}

/** A range as the URL carries it: `3h`, or `2025-12-01T01:20:00.000Z..2025-12-01T03:07:00.000Z`. */
export function rangeText(range: TimeRange): string {
  if (range.kind === 'relative') return range.preset;
  return `${new Date(range.fromMs).toISOString()}..${new Date(range.toMs).toISOString()}`;
}

/** Reads `rangeText` back; null for what is no range, ends in the wrong order included. */
export function parseRange(text: string): TimeRange | null {
  const preset = PRESETS.find((one) => one === text);
  if (preset !== undefined) return { kind: 'relative', preset };
  const [from, to, ...rest] = text.split('..');
  if (from === undefined || to === undefined || rest.length > 0) return null;
  return absoluteRange(Date.parse(from), Date.parse(to));
}

/** A range of two ends, null when they are no instants or in the wrong order. */
export function absoluteRange(fromMs: number, toMs: number): TimeRange | null {
  return Number.isFinite(fromMs) && Number.isFinite(toMs) && fromMs < toMs ? { kind: 'absolute', fromMs, toMs } : null;
}

/** Share of a range's length within which its end counts as now. */
const ALMOST = 0.1;

/**
 * The stretch of equal length before (`by` −1) or after (1) a range. What would reach beyond now is the relative range
 * that it came from, or ends now.
 */
export function shiftedRange(range: TimeRange, by: 1 | -1, nowMs: number): TimeRange {
  const { fromMs, toMs } = spanOf(range, nowMs);
  const length = toMs - fromMs;
  if (by === -1) return { kind: 'absolute', fromMs: fromMs - length, toMs: fromMs };
  if (range.kind === 'relative') return range;
  // What ends almost now was shifted back from now a moment ago.
  if (toMs + length < nowMs - length * ALMOST) return { kind: 'absolute', fromMs: toMs, toMs: toMs + length };
  const preset = presetOfLength(length);
  return preset === undefined
    ? { kind: 'absolute', fromMs: Math.max(fromMs, nowMs - length), toMs: Math.max(toMs, nowMs) }
    : { kind: 'relative', preset };
}

/** The preset that can be so long: one that begins with an hour is up to an hour longer than its name. */
function presetOfLength(lengthMs: number): Preset | undefined {
  return PRESETS.find((preset) => {
    const { ms } = PRESET_FACTS[preset];
    return isWholeHours(preset) ? lengthMs >= ms && lengthMs < ms + HOUR_MS : lengthMs === ms;
  });
}

/** Whether nothing new can fall into a range: both its ends are fixed, and its end has passed. */
export function isPast(range: TimeRange, nowMs: number): boolean {
  return range.kind === 'absolute' && range.toMs <= nowMs;
}

/** The range up to now in place of one with two ends: the preset of its length, else the default one. */
export function liveRange(range: TimeRange): TimeRange {
  if (range.kind === 'relative') return range;
  const preset = presetOfLength(range.toMs - range.fromMs);
  return preset === undefined ? DEFAULT_RANGE : { kind: 'relative', preset };
}

const STEPS_S = [1, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 3 * 3_600, 12 * 3_600, 86_400] as const;
const POINTS_MAX = 239;

/** Seconds that one bar covers so that the whole range is at most 239 bars. */
export function stepOf(span: Span): number {
  const seconds = (span.toMs - span.fromMs) / 1_000;
  return STEPS_S.find((step) => seconds / step <= POINTS_MAX) ?? Math.ceil(seconds / POINTS_MAX / 86_400) * 86_400;
}

/** A step in words: `one minute`, `5 minutes`. */
export function stepWords(stepS: number): string {
  const [count, unit] =
    stepS % 86_400 === 0
      ? [stepS / 86_400, 'day']
      : stepS % 3_600 === 0
        ? [stepS / 3_600, 'hour']
        : stepS % 60 === 0
          ? [stepS / 60, 'minute']
          : [stepS, 'second'];
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}
