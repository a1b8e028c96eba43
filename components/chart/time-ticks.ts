import { fromShownZone, inShownZone } from '@/components/format/zone';

const STEPS_MS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600,
  43_200, 86_400, 172_800, 604_800,
].map((seconds) => Math.round(seconds * 1_000));
const DAY_MS = 86_400_000;
/** How a tick is told that stands alone: to the minute, and by its day where that begins. */
const LONE_STEP_MS = 3_600_000;

/** Round instants inside a stretch: as many as divide it into at most `most` parts. Epoch milliseconds. */
export function timeTicks(fromMs: number, toMs: number, most: number): number[] {
  const span = toMs - fromMs;
  if (!(span > 0) || most < 1) return [];
  const step = STEPS_MS.find((one) => span / one <= most) ?? Math.ceil(span / most / DAY_MS) * DAY_MS;
  const ticks: number[] = [];
  const last = inShownZone(toMs);
  for (let at = Math.ceil(inShownZone(fromMs) / step) * step; at <= last && ticks.length <= most; at += step) ticks.push(fromShownZone(at));
  return ticks;
}

/** A tick in words, in the shown zone: the day where a day begins or days are apart, else the clock to the needed precision. */
export function tickWords(atMs: number, ticks: readonly number[]): string {
  const [first, second] = ticks;
  const step = first === undefined || second === undefined ? LONE_STEP_MS : second - first;
  const clockMs = inShownZone(atMs);
  const iso = new Date(clockMs).toISOString();
  if (clockMs % DAY_MS === 0 && step >= 3_600_000) return `${Number(iso.slice(8, 10))}/${Number(iso.slice(5, 7))}`;
  // Within a second the hour is the same for every tick: it gives its place to the milliseconds.
  if (step < 1_000) return iso.slice(14, 23);
  return step < 60_000 ? iso.slice(11, 19) : iso.slice(11, 16);
}
