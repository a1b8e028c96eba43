/** In which zone times are shown. */
export type Zone = 'utc' | 'local';

let shown: Zone = 'utc';

/** Shows times in a zone from now on. What is on the page is drawn anew by `ZoneBoundary`, which alone calls this. */
export function showIn(zone: Zone): void {
  shown = zone;
}

/** An instant moved so that its UTC text reads as the clock of the shown zone. Epoch milliseconds. */
export function inShownZone(atMs: number): number {
  return atMs + offsetMs(atMs);
}

/** The instant at which the clock of the shown zone reads as the UTC text of `clockMs`. */
export function fromShownZone(clockMs: number): number {
  const guess = clockMs - offsetMs(clockMs);
  // Beside a change of summer time the guess may lie on its other side.
  return clockMs - offsetMs(guess);
}

/** The zone as it stands beside a time: `UTC`, or the offset of the local zone at `atMs`: `UTC+02:00`. */
export function zoneName(atMs: number = Date.now()): string {
  const minutes = Math.round(offsetMs(atMs) / 60_000);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const two = (part: number) => String(part).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function offsetMs(atMs: number): number {
  return shown === 'utc' || !Number.isFinite(atMs) ? 0 : -new Date(atMs).getTimezoneOffset() * 60_000;
}
