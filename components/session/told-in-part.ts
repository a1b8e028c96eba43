import { countOf } from '@/components/format/count';
import type { TelemetryRecord } from '@/lib/wire/schema';

/**
 * What is to be said of a session whose sender kept records of it back because all went well; null where it is told
 * whole. `records` are those of one session, in order.
 */
export function toldInPartWords(records: readonly TelemetryRecord[]): string | null {
  const count = records.reduce((sum, { withheld_before: kept = 0 }) => sum + kept, 0);
  const isOpen = records.findLast(({ type }) => type !== 'boot')?.withheld_after === true;
  if (count === 0) return isOpen ? 'Told in part: what follows is kept back by the server while all goes well.' : null;
  const more = isOpen ? '; what follows is kept back too' : '';
  return `Told in part: ${countOf(count, 'record')} of this session ${count === 1 ? 'was' : 'were'} kept back by the server while all went well${more}.`;
}
