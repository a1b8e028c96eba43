import { fromShownZone, inShownZone } from '@/components/format/zone';

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const DATED = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?\s*(?:Z|UTC)?$/i;
const DAY_MS = 86_400_000;

/**
 * Reads an instant as a person types it, in the shown zone: `2025-12-01 02:14`, `2025-12-01`, `02:14` (of the day of
 * `nowMs`, the day before when that lies ahead), or `now`. Null when it is none of these. Epoch milliseconds.
 */
export function parseTypedInstant(text: string, nowMs: number): number | null {
  const typed = text.trim();
  if (/^now$/i.test(typed)) return nowMs;
  const clock = CLOCK.exec(typed);
  if (clock !== null) return clockToday(clock, nowMs);
  const dated = DATED.exec(typed);
  if (dated === null) return null;
  const time = (dated[2] ?? '00:00').padStart(5, '0');
  const atMs = Date.parse(`${dated[1]}T${/^\d:/.test(time) ? `0${time}` : time}Z`);
  return Number.isNaN(atMs) ? null : /(?:Z|UTC)$/i.test(typed) ? atMs : fromShownZone(atMs);
}

function clockToday(clock: RegExpExecArray, nowMs: number): number | null {
  const [hours, minutes, seconds] = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  const today = Math.floor(inShownZone(nowMs) / DAY_MS) * DAY_MS;
  const atMs = fromShownZone(today + ((hours * 60 + minutes) * 60 + seconds) * 1_000);
  return atMs > nowMs ? atMs - DAY_MS : atMs;
}

/** An instant as it is typed: `2025-12-01 02:14:49`. */
export function typedInstant(atMs: number): string {
  return new Date(inShownZone(atMs)).toISOString().slice(0, 19).replace('T', ' ');
}
