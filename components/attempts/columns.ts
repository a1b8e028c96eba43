import type { Attempt } from '@/components/api/attempt';
import { gapCount } from '@/components/attempts/attempt-sentence';
import { formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import type { JsonPosition } from '@/lib/base/position';

const POSITION_LENGTH = 10;

/** A position in a dense cell: shortened in the middle, `none` where none was sent, empty where it was not reported. */
export function positionCell(position: JsonPosition | null | undefined): string {
  if (position === undefined) return '';
  return position === null ? 'none' : shortText(String(position), POSITION_LENGTH);
}

/** The cursor of a dense row: as a position where it is known, else the text that was sent. */
export function cursorCell(attempt: Attempt): string {
  if (attempt.cursor !== undefined && attempt.cursor !== null) return positionCell(attempt.cursor);
  const text = attempt.last_event_id;
  return text === null || text === undefined || text === '' ? 'none' : shortText(text, POSITION_LENGTH);
}

export function gapCell(attempt: Attempt): string {
  const gap = gapCount(attempt);
  return gap === null ? '' : formatCount(gap);
}

/** What the rules say in a dense row: the reason, or which fact is missing. */
export function reasonCell(attempt: Attempt): string {
  if (attempt.decision !== null) return attempt.decision.reason;
  const [missing] = attempt.missing;
  return missing === undefined ? 'open' : `${missing} not sent`;
}

export function actCell(attempt: Attempt): string {
  return attempt.status === null || attempt.status === undefined ? attempt.verdict : `${attempt.verdict} ${attempt.status}`;
}

/** Whether the status that the server sent is not the one that tells the client the truth. */
export function hasWrongStatus(attempt: Attempt): boolean {
  return attempt.assessment === 'wrong_status';
}
