import { parsePosition } from '@/lib/base/position';

/** The number that an id ends in (`E_1042`, `A:41`, `7`), null when it ends in none that could be a position. */
function lastNumber(id: string): bigint | null {
  return parsePosition(/(?:^|\D)(\d+)$/.exec(id)?.[1]);
}

/**
 * Whether the ids of an attempt carry its positions, so that an id may stand for one in words and pictures. Many
 * servers number the ids of a session and the positions of its streams apart; then 9 may be at position 2.
 */
export function idsCarryPositions(attempt: { readonly last_event_id?: string | null | undefined; readonly cursor?: unknown }): boolean {
  const cursor = parsePosition(attempt.cursor);
  return cursor !== null && typeof attempt.last_event_id === 'string' && lastNumber(attempt.last_event_id) === cursor;
}
