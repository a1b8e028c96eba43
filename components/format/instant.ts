import { inShownZone, zoneName } from '@/components/format/zone';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Time of day of an instant in the shown zone: `02:14:49.318`, without what `precision` leaves out. The zone stands beside it. */
export function timeOfDay(atMs: number, precision: 'ms' | 's' | 'min' = 'ms'): string {
  return new Date(inShownZone(atMs)).toISOString().slice(11, precision === 'ms' ? 23 : precision === 's' ? 19 : 16);
}

/** Day of an instant in the shown zone: `1 December`, with the year when it is not that of `nowMs`. */
export function dayOf(atMs: number, nowMs: number): string {
  const at = new Date(inShownZone(atMs));
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
  return at.getUTCFullYear() === new Date(inShownZone(nowMs)).getUTCFullYear() ? day : `${day} ${at.getUTCFullYear()}`;
}

/** An instant in a sentence: `02:14 UTC` today, `29 November 18:02 UTC` on another day. */
export function sinceWords(atMs: number, nowMs: number): string {
  const isToday = Math.floor(inShownZone(atMs) / DAY_MS) === Math.floor(inShownZone(nowMs) / DAY_MS);
  return `${isToday ? '' : `${dayOf(atMs, nowMs)} `}${timeOfDay(atMs, 'min')} ${zoneName(atMs)}`;
}

/** The whole instant: `2025-12-01 02:14:49.318 UTC`. */
export function fullInstant(atMs: number): string {
  return `${new Date(inShownZone(atMs)).toISOString().slice(0, 23).replace('T', ' ')} ${zoneName(atMs)}`;
}

/** How long ago an instant was: `now`, `12 s ago`, `2 min ago`, `3 h ago`, `5 d ago`. Beside an exact time only. */
export function ageWords(atMs: number, nowMs: number): string {
  const age = Math.max(0, nowMs - atMs);
  if (age < 1_000) return 'now';
  return `${durationWords(age)} ago`;
}

/** The length of a range in its two largest units, from ten minutes on to the nearest minute: `45 s`, `15 min`, `3 h 5 min`, `7 d 5 h`. */
export function spanWords(lengthMs: number): string {
  const ms = lengthMs < 10 * MINUTE_MS ? lengthMs : Math.round(lengthMs / MINUTE_MS) * MINUTE_MS;
  const [whole, rest] =
    ms < MINUTE_MS ? [1_000, 0] : ms < HOUR_MS ? [MINUTE_MS, 0] : ms < 2 * DAY_MS ? [HOUR_MS, MINUTE_MS] : [DAY_MS, HOUR_MS];
  const beyond = rest === 0 ? 0 : Math.floor((ms % whole) / rest) * rest;
  return beyond === 0 ? durationWords(ms) : `${durationWords(ms)} ${durationWords(beyond)}`;
}

/** A duration in its largest whole unit: `12 s`, `2 min`, `3 h`, `5 d`. */
export function durationWords(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}
