const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));

/**
 * Writes instants (epoch milliseconds) as RFC 3339 text in UTC. Rows of one day share the date, and the standard
 * formatter costs more than all other fields of a row.
 */
export function instantWriter(): (ms: number) => string {
  let day = Number.NaN;
  let date = '';
  let lastMs = Number.NaN;
  let lastText = '';
  return (ms) => {
    if (ms === lastMs) return lastText;
    const itsDay = Math.floor(ms / DAY_MS);
    if (itsDay !== day) {
      day = itsDay;
      date = new Date(itsDay * DAY_MS).toISOString().slice(0, 11);
    }
    lastMs = ms;
    lastText = date + timeText(ms - itsDay * DAY_MS);
    return lastText;
  };
}

function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const rest = String(ms % 1000).padStart(3, '0');
  return `${TWO_DIGITS[Math.floor(seconds / 3600)]}:${TWO_DIGITS[Math.floor(seconds / 60) % 60]}:${TWO_DIGITS[seconds % 60]}.${rest}Z`;
}
