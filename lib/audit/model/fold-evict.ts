import { placeOfEvent } from '@/lib/audit/model/place';
import { generationOf, logOf, streamIn } from '@/lib/audit/model/sessions';
import { lengthOf, punchHole, raiseFloor } from '@/lib/audit/model/stream-log';
import type { SessionState } from '@/lib/audit/model/types';
import type { RecordOf } from '@/lib/wire/schema';

/** Raises the floor of a log or takes single events out of it. Ids that the log never held change nothing. */
export function foldEvict(session: SessionState, record: RecordOf<'evict'>): void {
  const log = logOf(streamIn(session, record.stream ?? 'get'), generationOf(session, record.generation));
  if (log === null) return;
  if (record.floor === null) raiseFloor(log, lengthOf(log));
  else if (record.floor !== undefined) {
    const place = placeOfEvent(log, record.floor);
    if (place !== null) raiseFloor(log, place);
  }
  for (const id of record.event_ids ?? []) {
    const place = placeOfEvent(log, id);
    if (place !== null && place >= log.floor && place < lengthOf(log)) punchHole(log, place, place);
  }
}
