import type { Step } from '@/components/api/timeline';
import { attemptPicture } from '@/components/plot/attempt-picture';
import { ClientTrack } from '@/components/plot/client-track';
import type { HoleSpan, KnownMark, LogStep, PlotAttempt, PlotData, Stretch } from '@/components/plot/plot-data';
import { parsePosition } from '@/lib/base/position';
import { toRanges } from '@/lib/wire/to-ranges';

interface OpenStretch {
  readonly generation: string | null;
  readonly fromX: number;
  cause: string | null;
  readonly log: LogStep[];
  readonly holes: HoleSpan[];
  /** Holes that are there now, by their range, with the x at which they appeared. */
  readonly open: Map<string, { readonly fromX: number; readonly first: bigint; readonly last: bigint }>;
}

/**
 * The picture of one stream's timeline. Needs nothing but the steps; `marks` gives the judgement of attempts that
 * were judged with more than their record. A history in which any step carries no clock is drawn by order, as is
 * one that `axis` says so of, for the sake of its neighbours.
 */
export function plotOfTimeline(
  steps: readonly Step[],
  marks: ReadonlyMap<string, KnownMark> = new Map(),
  axis: PlotData['axis'] = steps.every((step) => step.at !== null) ? 'time' : 'order',
): PlotData {
  const xOf = (step: Step) => (axis === 'time' ? Date.parse(step.at ?? '') : step.index);
  const stretches: Stretch[] = [];
  const client = new ClientTrack();
  const attempts: PlotAttempt[] = [];
  let open: OpenStretch | null = null;
  let lastX = steps[0] === undefined ? 0 : xOf(steps[0]);

  for (const step of steps) {
    lastX = Math.max(lastX, xOf(step));
    if (open === null || isBoundary(open, step)) {
      if (open !== null) stretches.push(closed(open, lastX));
      client.cut();
      open = openStretch(step, lastX, stretches.length > 0 || open !== null);
    }
    follow(open, step, lastX);
    client.follow(step, lastX);
    if (step.record.type === 'resume_attempt') attempts.push(attemptPicture(step, step.record, lastX, marks));
  }
  const fromX = steps[0] === undefined ? 0 : xOf(steps[0]);
  if (open !== null) stretches.push(closed(open, lastX));
  client.cut();
  return { axis, fromX, toX: Math.max(lastX, fromX), stretches, clients: client.lines, attempts };
}

/** Another label, or a state that was known and is not any more: a boot under a label that nothing was heard of yet. */
function isBoundary(open: OpenStretch, step: Step): boolean {
  const { generation } = step.state;
  return generation !== null && open.generation !== null && generation !== open.generation;
}

function openStretch(step: Step, x: number, isLater: boolean): OpenStretch {
  return {
    generation: step.state.generation,
    fromX: x,
    cause: isLater ? causeOf(step) : null,
    log: [],
    holes: [],
    open: new Map(),
  };
}

function causeOf({ record }: Step): string | null {
  if (record.type === 'boot') return record.node === undefined ? 'boot' : `boot ${record.node}`;
  if (record.type === 'session') return record.event === 'created' ? 'recreated' : record.event;
  return null;
}

function follow(open: OpenStretch, step: Step, x: number): void {
  const { state, record } = step;
  if (open.cause !== null && open.log.every((one) => one.head === null) && record.type === 'session') {
    const also = causeOf(step);
    if (also !== null && also !== open.cause) open.cause = `${open.cause}, ${also}`;
  }
  const [floor, head] = [parsePosition(state.floor), parsePosition(state.head)];
  const last = open.log.at(-1);
  if (last === undefined || last.floor !== floor || last.head !== head) open.log.push({ x, floor, head });
  if (CHANGES_HOLES.has(record.type) || open.log.length === 1) followHoles(open, step, x);
}

/** Other records leave the holes as they were: a long history has few that do not. */
const CHANGES_HOLES: ReadonlySet<string> = new Set(['evict', 'resume_attempt', 'session', 'boot']);

function followHoles(open: OpenStretch, { state }: Step, x: number): void {
  const now = new Map(toRanges(state.holes).map((range) => [`${range.first}-${range.last}`, range]));
  for (const [key, hole] of open.open) {
    if (now.has(key)) continue;
    open.holes.push({ fromX: hole.fromX, toX: x, range: { first: hole.first, last: hole.last } });
    open.open.delete(key);
  }
  for (const [key, range] of now) {
    if (!open.open.has(key)) open.open.set(key, { fromX: x, first: range.first, last: range.last });
  }
}

function closed(open: OpenStretch, toX: number): Stretch {
  const still = [...open.open.values()].map(({ fromX, first, last }) => ({ fromX, toX, range: { first, last } }));
  const generation = open.generation;
  return { generation, fromX: open.fromX, toX, cause: open.cause, log: open.log, holes: [...open.holes, ...still] };
}
