import { html } from '@/lib/bundle/html-text';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

const WIDTH = 960;
const HEIGHT = 240;
/** Columns of the plot: a longer history is thinned out evenly. */
const COLUMNS_MAX = 480;

/** An attempt to be marked: its place in the records and what the rules say of it. */
export interface MarkedAttempt {
  readonly index: number;
  readonly assessment: Assessment;
}

/**
 * Position against order of records, as SVG: the retained band between floor and head, and the cursor of each
 * attempt. Null when no record tells a position. `steps` are those of one session.
 */
export function plotOf(steps: readonly TimelineStep[], attempts: readonly MarkedAttempt[]): string | null {
  const bounds = boundsOf(steps);
  if (bounds === null) return null;
  const x = (place: number): number => round((place / steps.length) * WIDTH);
  const y = (position: number): number => round(HEIGHT - ((position - bounds.low) / Math.max(1, bounds.high - bounds.low)) * HEIGHT);
  const every = Math.max(1, Math.ceil(steps.length / COLUMNS_MAX));
  const bars = steps.flatMap(({ state: { floor, head } }, place) => {
    if (place % every !== 0 || floor === null || head === null || Number(floor) > Number(head)) return [];
    const top = y(Number(head));
    return [
      `<rect x="${x(place)}" y="${top}" width="${round(WIDTH / Math.min(steps.length, COLUMNS_MAX)) + 0.5}" height="${round(y(Number(floor)) - top) + 1}"/>`,
    ];
  });
  const placeOf = new Map(steps.map(({ index }, place) => [index, place]));
  const marks = attempts.flatMap(({ index, assessment }) => {
    const place = placeOf.get(index);
    const cursor = place === undefined ? null : cursorOf(steps[place]);
    if (place === undefined || cursor === null) return [];
    return [
      `<circle class="${html(assessment)}" cx="${x(place + 0.5)}" cy="${y(cursor)}" r="5"><title>record ${index}: ${html(assessment)}</title></circle>`,
    ];
  });
  return [
    `<svg viewBox="-8 -8 ${WIDTH + 16} ${HEIGHT + 16}" role="img" aria-label="Retained positions ${bounds.low} to ${bounds.high} over the records, with the cursor of each attempt">`,
    `<g class="band">${bars.join('')}</g><g>${marks.join('')}</g></svg>`,
    `<p class="small">Retained positions ${bounds.low} to ${bounds.high}, left to right in the order of the records; dots are the cursors of resume attempts.</p>`,
  ].join('');
}

function boundsOf(steps: readonly TimelineStep[]): { low: number; high: number } | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    const { floor, head } = step.state;
    for (const position of [floor, head, cursorOf(step)]) {
      if (position === null) continue;
      low = Math.min(low, Number(position));
      high = Math.max(high, Number(position));
    }
  }
  return low <= high ? { low, high } : null;
}

/** The cursor that an attempt presents; null for other records and where it names no position. */
function cursorOf(step: TimelineStep | undefined): number | null {
  if (step === undefined || step.record.type !== 'resume_attempt') return null;
  const { conn, cursor } = step.record as { conn?: string; cursor?: number | string | null };
  const position = (conn === undefined ? undefined : step.state.cursors[conn]) ?? cursor ?? null;
  return position === null ? null : Number(position);
}

const round = (value: number): number => Math.round(value * 10) / 10;
