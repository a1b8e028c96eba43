import { distanceAboveNewest, placesOf } from '@/lib/audit/model/id-index';
import { placeOfLabel } from '@/lib/audit/model/labels';
import { isHeadKnown, lengthOf, type StreamLog } from '@/lib/audit/model/stream-log';
import { parsePosition } from '@/lib/base/position';

/** Place of an event named by its id, else by its number; null when the log does not know it. */
export function placeOfEvent(log: StreamLog, id: string | number): bigint | null {
  const text = String(id);
  const [place] = placesOf(log.ids, text);
  if (place !== undefined) return place;
  const position = parsePosition(id);
  return position === null ? null : placeOfLabel(log.labels, position);
}

/** Place of a cursor that was never seen, when the only family of ids says that it lies above the head. */
export function placeAboveHead(log: StreamLog, text: string): bigint | null {
  if (!isHeadKnown(log)) return null;
  const distance = distanceAboveNewest(log.ids, text);
  return distance === null ? null : lengthOf(log) - 1n + distance;
}
