/** A pause that a server asks for is believed up to this. */
const PAUSE_MS_MAX = 10 * 60_000;
const SECONDS = /^\d{1,10}$/;

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or the date until which to wait.
 *
 * @param nowMs epoch milliseconds
 * @returns milliseconds to wait, at most ten minutes; 0 where the text says nothing
 */
export function retryAfterMs(text: string | null | undefined, nowMs: number): number {
  const value = text?.trim() ?? '';
  const ms = SECONDS.test(value) ? Number(value) * 1000 : /[a-z]/i.test(value) ? Date.parse(value) - nowMs : 0;
  return ms > 0 ? Math.min(ms, PAUSE_MS_MAX) : 0;
}
