import type { AttemptCase } from '@/lib/whatif/attempt-case';
import { outcomeOf } from '@/lib/whatif/decide-case';

/** What one client needed when it came back. */
export interface Need {
  /** Events between its cursor and the head; null when its cursor could not be placed, so that it needed more than `kept`. */
  readonly events: number | null;
  /** Events the log held then; null when not known. */
  readonly kept: number | null;
  readonly awayMs: number | null;
  readonly wasRefused: boolean;
}

/** What a buffer of so many events does. */
export interface RetentionPoint {
  readonly events: number;
  /** Share of all reconnects that it serves whole, if it serves none whose cursor could not be placed. */
  readonly served: number;
  /** The same if it serves all of those that it might reach. */
  readonly servedAtMost: number;
  /** Refusals of today that would have been whole replays. */
  readonly refusalsAvoided: number;
  /** Room for one stream; null when no event's size is known. */
  readonly bytes: number | null;
}

export interface RetentionAdvice {
  readonly measured: number;
  /** Reconnects whose cursor could not be placed. */
  readonly censored: number;
  /** Most events that a measured reconnect needed: beyond it nothing is measured. */
  readonly measuredUpTo: number;
  /** Most events that the log held at a reconnect; null when not known. */
  readonly keptNow: number | null;
  readonly points: readonly RetentionPoint[];
  /** The point from which on more events buy little. */
  readonly knee: RetentionPoint;
  /** A member for the route's configuration, ready to be copied; null where no reconnect needed an event. */
  readonly configLine: string | null;
  /** What the numbers leave out, in words. */
  readonly censoring: string;
}

const POINTS_MAX = 200;

/** The needs that the cases measure. Attempts without a cursor, of another session state or generation, ask nothing of a buffer. */
export function needsOf(cases: Iterable<AttemptCase>): Need[] {
  const needs: Need[] = [];
  for (const { facts, awayMs } of cases) {
    const outcome = outcomeOf(facts);
    const { cursor, head, floor } = facts;
    if (outcome === null || !ASKS_THE_BUFFER.has(outcome.reason)) continue;
    const kept = head === undefined || floor === undefined ? null : Number(head - floor + 1n);
    const isPlaced = typeof cursor === 'bigint' && head !== undefined;
    needs.push({ events: isPlaced ? Number(head - cursor) : null, kept, awayMs, wasRefused: outcome.verdict === 'refuse' });
  }
  return needs;
}

const ASKS_THE_BUFFER: ReadonlySet<string> = new Set(['ok', 'below_floor', 'hole', 'no_coverage', 'unknown_cursor']);

/**
 * Refusals avoided against room, from what clients needed. Null when no need was measured. `eventBytes` is the mean
 * size of an event, null when unknown. Clients that never came back are in no record and so in no share.
 */
export function adviseRetention(needs: readonly Need[], eventBytes: number | null): RetentionAdvice | null {
  const measured = needs.filter((need): need is Need & { events: number } => need.events !== null).sort((a, b) => a.events - b.events);
  const largest = measured.at(-1);
  if (largest === undefined) return null;
  const censored = needs.filter((need) => need.events === null);
  const refusedBefore = [0];
  for (const { wasRefused } of measured) refusedBefore.push((refusedBefore.at(-1) ?? 0) + (wasRefused ? 1 : 0));
  const points = sizesOf(measured.map(({ events }) => events)).map((events) =>
    pointAt(events, { measured, refusedBefore, censored }, eventBytes),
  );
  const knee = kneeOf(points);
  const kept = needs.flatMap((need) => need.kept ?? []);
  return {
    measured: measured.length,
    censored: censored.length,
    measuredUpTo: largest.events,
    keptNow: kept.length === 0 ? null : kept.reduce((most, count) => (count > most ? count : most)),
    points,
    knee,
    configLine: knee.events === 0 ? null : configLine(knee, measured),
    censoring: censoringWords(measured.length, censored.length, largest.events),
  };
}

/** Sizes at which the served share changes, thinned out evenly by reconnects when there are many. */
function sizesOf(sorted: readonly number[]): number[] {
  const distinct = [...new Set(sorted)];
  if (distinct.length <= POINTS_MAX) return distinct;
  const picked = Array.from({ length: POINTS_MAX }, (_, n) => sorted[Math.ceil(((n + 1) * sorted.length) / POINTS_MAX) - 1] ?? 0);
  return [...new Set(picked)];
}

interface Reconnects {
  /** By events, ascending. */
  readonly measured: readonly { readonly events: number }[];
  /** How many of the first n were refused. */
  readonly refusedBefore: readonly number[];
  readonly censored: readonly Need[];
}

function pointAt(events: number, { measured, refusedBefore, censored }: Reconnects, eventBytes: number | null): RetentionPoint {
  const total = measured.length + censored.length;
  let low = 0;
  let high = measured.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((measured[middle]?.events ?? 0) <= events) low = middle + 1;
    else high = middle;
  }
  const reachable = censored.filter(({ kept }) => kept === null || kept < events).length;
  return {
    events,
    served: low / total,
    servedAtMost: (low + reachable) / total,
    refusalsAvoided: refusedBefore[low] ?? 0,
    bytes: eventBytes === null ? null : Math.ceil(events * eventBytes),
  };
}

/** The point farthest above the straight line from nothing to the last point: where the curve bends. Keeping nothing is none while anything is needed. */
function kneeOf(points: readonly RetentionPoint[]): RetentionPoint {
  const last = points.at(-1);
  if (last === undefined) throw new RangeError('a curve has at least one point');
  let knee = last;
  let farthest = 0;
  for (const point of points) {
    const distance = point.served / last.served - point.events / last.events;
    if (point.events > 0 && distance > farthest) {
      farthest = distance;
      knee = point;
    }
  }
  return knee;
}

/** The time is that of the longest absence which the knee serves, in whole seconds. */
function configLine(knee: RetentionPoint, measured: readonly (Need & { events: number })[]): string {
  let longest: number | null = null;
  for (const { events, awayMs } of measured) if (events <= knee.events && awayMs !== null && awayMs > (longest ?? -1)) longest = awayMs;
  const ttl = longest === null ? '' : `,"ttl_ms":${Math.max(1, Math.ceil(longest / 1000)) * 1000}`;
  return `"buffer":{"events":${knee.events}${ttl}}`;
}

function censoringWords(measured: number, censored: number, upTo: number): string {
  const unplaced =
    censored === 0 ? '' : ` ${censored} more presented a cursor that could not be placed: they needed more than was kept then.`;
  return `Measured over ${measured} reconnects that needed at most ${upTo} events.${unplaced} Clients that never came back are not in these numbers.`;
}
