import type { Random } from '@/tests/audit/random';
import type { Wire } from '@/tests/audit/schedule';

/** What a sender that keeps history at hand tells of a session at once, whatever else it keeps back. */
const ALWAYS_TOLD: ReadonlySet<string> = new Set(['boot', 'session', 'resume_attempt']);

interface Telling {
  /** Told whole from its beginning to its end. */
  readonly isSampled: boolean;
  isWhole: boolean;
  keptBack: number;
}

/**
 * A history as it is told by a sender that keeps it back while all goes well: of each session, stretches are told
 * whole and stretches by nothing but beginnings, ends and attempts, by chance. The last record of a stretch that is told whole says so.
 */
export function tellInPart(random: Random, records: readonly Wire[]): Wire[] {
  const tellings = new Map<string, Telling>();
  const told: Wire[] = [];
  for (const record of records) {
    const session = record['session'];
    if (typeof session !== 'string') {
      told.push(record);
      continue;
    }
    const telling = tellings.get(session) ?? newTelling(random);
    const isTurn = tellings.has(session) && !telling.isSampled && random.chance(0.08);
    const isLast = telling.isWhole && isTurn;
    if (isTurn) telling.isWhole = !telling.isWhole;
    tellings.set(session, telling);
    if (!telling.isWhole && !isLast && !ALWAYS_TOLD.has(record.type)) {
      telling.keptBack += 1;
      continue;
    }
    told.push({
      ...record,
      ...(telling.keptBack === 0 ? {} : { withheld_before: telling.keptBack }),
      ...(telling.isWhole ? {} : { withheld_after: true }),
    });
    telling.keptBack = 0;
  }
  return told;
}

function newTelling(random: Random): Telling {
  const isSampled = random.chance(0.05);
  return { isSampled, isWhole: isSampled, keptBack: 0 };
}
