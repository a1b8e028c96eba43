import type { CursorOrigin } from '@/lib/audit/model/cursor-origin';
import { constantShift, placeOfLabel } from '@/lib/audit/model/labels';
import { placeOfEvent } from '@/lib/audit/model/place';
import { isHeadKnown, lengthOf, messagesIn, type StreamLog } from '@/lib/audit/model/stream-log';
import type { SessionState } from '@/lib/audit/model/types';
import { countPositions, mergeRanges, type PositionRange } from '@/lib/base/ranges';
import type { AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import { type Judgement, judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/**
 * Judges an attempt by the facts of its record, completed from the history where it lacks them. What the
 * record says wins, but for one thing: a cursor that the history proves to be of an earlier numbering is so
 * whatever label it was given.
 */
export function judgeInHistory(session: SessionState, log: StreamLog | null, record: ResumeAttemptRecord, origin: CursorOrigin): Judgement {
  const facts = completedFacts(session, log, record, origin);
  const act = actOf(log, record, facts, origin);
  const judgement = judgeAttempt(facts, act);
  if (judgement.assessment === 'bad_replay' && log !== null && isRightButForWithheld(log, act, origin)) {
    return { ...judgement, assessment: 'correct' };
  }
  return judgement;
}

/** Facts as judged; exported for the proof view. */
export function completedFacts(
  session: SessionState,
  log: StreamLog | null,
  record: ResumeAttemptRecord,
  origin: CursorOrigin,
): AttemptFacts {
  const reported = attemptFacts(record);
  const generation = reported.generation ?? session.generation ?? undefined;
  const named: AttemptFacts = {
    ...reported,
    sessionState: reported.sessionState ?? stateOf(session),
    generation,
    requestedGeneration: requestedGeneration(reported, generation, origin),
  };
  if (isSelfContained(reported) || log === null || isInDoubt(session, reported)) return withoutLog(named, session, origin);
  return withLog(named, log, origin);
}

/** Whether a record says by itself where its cursor stood in what was retained, in numbers of its own. */
const isSelfContained = ({ cursor, floor, head }: AttemptFacts): boolean =>
  cursor !== undefined && floor !== undefined && head !== undefined;

function stateOf(session: SessionState): AttemptFacts['sessionState'] {
  if (session.life === 'unseen' || session.doubt !== null) return undefined;
  return session.life;
}

/** A process restarted and nothing has shown since that the session survived: its log proves nothing. */
function isInDoubt(session: SessionState, reported: AttemptFacts): boolean {
  return session.doubt !== null && reported.sessionState === undefined;
}

function requestedGeneration(reported: AttemptFacts, generation: string | undefined, origin: CursorOrigin): string | null | undefined {
  const label = origin.earlier?.generation ?? null;
  if (origin.origin === 'earlier' && label !== null && label !== generation) return label;
  if (reported.requestedGeneration !== undefined) return reported.requestedGeneration;
  return origin.place !== null || origin.origin === 'live' ? generation : undefined;
}

function withoutLog(facts: AttemptFacts, session: SessionState, origin: CursorOrigin): AttemptFacts {
  if (facts.cursor !== undefined || session.doubt !== null) return facts;
  if (origin.isKnownUnissued) return { ...facts, cursor: null };
  // Found in an earlier numbering: it has a place there, which is all that the rows before the log ask for.
  return origin.origin === 'earlier' ? { ...facts, cursor: 0n } : facts;
}

function withLog(facts: AttemptFacts, log: StreamLog, origin: CursorOrigin): AttemptFacts {
  const scale = scaleOf(log);
  const cursor = cursorFact(facts, origin, scale);
  const head = scale.fromRecord(facts.head) ?? (isHeadKnown(log) ? scale.show(lengthOf(log) - 1n) : undefined);
  const floor = scale.fromRecord(facts.floor) ?? knownFloor(log, origin, scale);
  const reused: PositionRange[] = log.reused.map((range) => scale.showRange(range));
  if (origin.isReissued && origin.place !== null && log.restarts > 0)
    reused.push(scale.showRange({ first: origin.place, last: origin.place }));
  return {
    ...facts,
    cursor,
    head,
    floor: floor !== undefined && head !== undefined && floor > head + 1n ? head + 1n : floor,
    holes: mergeRanges([...facts.holes, ...log.holes.map((range) => scale.showRange(range))]),
    reused: mergeRanges([...facts.reused, ...reused]),
  };
}

/**
 * The floor as far as it matters for the cursor. Where events may have been kept back after the cursor, only one that
 * lies above a told event after it says anything.
 */
function knownFloor(log: StreamLog, { place }: CursorOrigin, scale: Scale): bigint | undefined {
  const { floor, toldFrom, isWhole } = log;
  if (toldFrom > 0n) {
    if (place === null || (place < toldFrom && (floor < toldFrom || place === toldFrom - 1n))) return undefined;
    return scale.show(floor > toldFrom ? floor : toldFrom);
  }
  return isWhole || floor > 0n || (place !== null && place >= 0n) ? scale.show(floor) : undefined;
}

function cursorFact(facts: AttemptFacts, origin: CursorOrigin, scale: Scale): bigint | null | undefined {
  if (origin.place !== null) return scale.show(origin.place);
  if (facts.cursor === null) return null;
  if (facts.cursor !== undefined) return scale.fromRecord(facts.cursor) ?? facts.cursor;
  if (origin.origin === 'earlier' && !origin.isKnownUnissued) return 0n;
  return origin.isKnownUnissued ? null : undefined;
}

interface Scale {
  readonly show: (place: bigint) => bigint;
  readonly showRange: (range: PositionRange) => PositionRange;
  readonly fromRecord: (position: bigint | undefined) => bigint | undefined;
}

/** The server's own numbers where they differ from places by a constant; else places. */
function scaleOf(log: StreamLog): Scale {
  const shift = constantShift(log.labels);
  const show = (place: bigint): bigint => (shift === null ? place : place + shift);
  return {
    show,
    showRange: (range) => ({ first: show(range.first), last: show(range.last) }),
    fromRecord: (position) => {
      if (position === undefined || shift !== null) return position;
      return placeOfLabel(log.labels, position) ?? undefined;
    },
  };
}

function actOf(log: StreamLog | null, record: ResumeAttemptRecord, facts: AttemptFacts, origin: CursorOrigin): ServerAct {
  const act = serverAct(record);
  if (log === null || act.replayed === null) return act;
  const show = showOf(log, record, facts, origin);
  const place = (id: unknown): bigint | null => {
    if (typeof id !== 'string' && typeof id !== 'number') return null;
    const found = placeOfEvent(log, id);
    return found === null ? null : show(found);
  };
  return {
    ...act,
    replayed: { count: act.replayed.count, first: place(record.replayed?.first), last: place(record.replayed?.last) },
  };
}

/** In whose numbers an act is measured: those of the record where its facts are told in them, which the cursor's own place ties to the log. */
function showOf(log: StreamLog, record: ResumeAttemptRecord, facts: AttemptFacts, origin: CursorOrigin): (place: bigint) => bigint | null {
  if (!isSelfContained(attemptFacts(record))) return scaleOf(log).show;
  const { cursor } = facts;
  if (origin.place === null || cursor === null || cursor === undefined) return () => null;
  const shift = cursor - origin.place;
  return (found) => found + shift;
}

/** Events withheld from this client, and priming ones, are no part of a whole replay. */
function isRightButForWithheld(log: StreamLog, act: ServerAct, origin: CursorOrigin): boolean {
  if (act.replayed === null || origin.place === null) return false;
  const owed = [{ first: origin.place + 1n, last: lengthOf(log) - 1n }].filter((range) => range.first <= range.last);
  const messages = countPositions(messagesIn(log, owed));
  const all = countPositions(owed);
  if (messages === all) return false;
  return act.replayed.count >= messages && act.replayed.count < all;
}
