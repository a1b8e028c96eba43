import { countOf } from '@/components/format/count';
import { durationWords, sinceWords } from '@/components/format/instant';
import type { Bar } from '@/components/overview/attempts-over-time';
import type { Blindness } from '@/lib/wire/responses';

/** Runs of bars, by the instants of their first and last one, in which telemetry is known to be missing. */
export interface BlindRun {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The bars that a chart must hatch: every one that a blind stretch touches, neighbours told as one run. */
export function blindRuns(bars: readonly Bar[], stepMs: number, blind: Blindness['blind']): BlindRun[] {
  const runs: { firstAt: number; lastAt: number }[] = [];
  for (const { at } of bars.filter((bar) => isBlind(bar.at, stepMs, blind))) {
    const last = runs.at(-1);
    if (last !== undefined && last.lastAt + stepMs === at) last.lastAt = at;
    else runs.push({ firstAt: at, lastAt: at });
  }
  return runs;
}

/** Whether telemetry of the step that begins at `atMs` is known to be missing. */
export function isBlind(atMs: number, stepMs: number, blind: Blindness['blind']): boolean {
  return blind.some(({ from, to }) => Date.parse(from) < atMs + stepMs && Date.parse(to) >= atMs);
}

/** What is missing and when, in one sentence; null when nothing is known to be. */
export function blindWords({ blind, lost_batches, dropped_records, rejected_records }: Blindness, nowMs: number): string | null {
  const [first] = blind;
  const last = blind.at(-1);
  if (first === undefined || last === undefined) return null;
  const dropped = dropped_records - rejected_records;
  const what = [
    ...(lost_batches > 0 ? [`${countOf(lost_batches, 'batch', 'batches')} of telemetry never arrived`] : []),
    ...(dropped > 0 ? [`${countOf(dropped, 'record was', 'records were')} dropped by their senders`] : []),
    ...(rejected_records > 0 ? [`${countOf(rejected_records, 'record was', 'records were')} rejected by the intake`] : []),
  ].join(' and ');
  const fromMs = Date.parse(first.from);
  const toMs = Date.parse(last.to);
  const stretches = blind.length === 1 ? '' : ` in ${blind.length} stretches`;
  const when =
    toMs - fromMs < 60_000 ? `at ${sinceWords(fromMs, nowMs)}` : `from ${sinceWords(fromMs, nowMs)} to ${sinceWords(toMs, nowMs)}`;
  return `${what}, ${when}${stretches} (${durationWords(blindMs(blind))} blind): every count is at least what it says.`;
}

const blindMs = (blind: Blindness['blind']): number => blind.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0);
