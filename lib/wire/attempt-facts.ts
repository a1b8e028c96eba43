import { parsePosition } from '@/lib/base/position';
import type { AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';
import { toRanges } from '@/lib/wire/to-ranges';

/** The facts of an attempt as its record reports them; what the record does not say stays undefined. */
export function attemptFacts(record: ResumeAttemptRecord): AttemptFacts {
  return {
    protocolVersion: record.protocol_version ?? null,
    sessionState: record.session_state,
    generation: generationFact(record.generation),
    requestedGeneration: generationFact(record.requested_generation),
    lastEventId: record.last_event_id,
    cursor: cursorFact(record),
    floor: parsePosition(record.floor) ?? undefined,
    head: parsePosition(record.head) ?? undefined,
    holes: toRanges(record.holes),
    reused: toRanges(record.reused),
    coveredFrom: parsePosition(record.covered_from) ?? undefined,
    floorRule: record.policy?.floor ?? 'successor',
  };
}

/** A refusal inside a stream of a pending call (style `terminal_error`) is 200 by design. */
const IN_STREAM_CODES: readonly number[] = [-32010, -32001, -32011];

export function isInStreamRefusal(record: ResumeAttemptRecord): boolean {
  return record.status === 200 && record.stream !== undefined && record.stream !== 'get' && IN_STREAM_CODES.includes(record.code ?? 0);
}

/** What the record says that the server did. A refusal inside a stream has no status of its own. */
export function serverAct(record: ResumeAttemptRecord): ServerAct {
  const replayed = record.replayed ?? null;
  const idsArePositions =
    typeof record.last_event_id === 'string' && record.cursor !== undefined && String(record.cursor) === record.last_event_id;
  return {
    verdict: record.verdict,
    status: isInStreamRefusal(record) ? undefined : record.status,
    reason: record.reason ?? null,
    code: record.code ?? null,
    replayed:
      replayed === null
        ? null
        : {
            count: BigInt(replayed.count),
            first: idsArePositions ? parsePosition(replayed.first) : null,
            last: idsArePositions ? parsePosition(replayed.last) : null,
          },
  };
}

function generationFact(generation: string | number | null | undefined): string | null | undefined {
  return generation === null || generation === undefined ? generation : String(generation);
}

/** A null cursor beside a text says "could not be found"; without any text it says that none was sent. */
function cursorFact(record: ResumeAttemptRecord): bigint | null | undefined {
  if (record.cursor === undefined) return record.last_event_id === null || record.last_event_id === '' ? null : undefined;
  return record.cursor === null ? null : (parsePosition(record.cursor) ?? undefined);
}
