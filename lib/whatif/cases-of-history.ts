import type { PositionRange } from '@/lib/base/ranges';
import { foldEntry } from '@/lib/replay/fold-entry';
import { presentedCursor } from '@/lib/replay/fold-record';
import { holdsPosition } from '@/lib/replay/hole-list';
import { RecordLocator, type StreamTrack } from '@/lib/replay/locate-record';
import { emptyState, type StreamState } from '@/lib/replay/log-state';
import { Numbering } from '@/lib/replay/numbering';
import { advance, stateAfter } from '@/lib/replay/stream-fold';
import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { type AttemptCase, caseOfAttempt } from '@/lib/whatif/attempt-case';
import type { Buffer } from '@/lib/whatif/change';
import { instantOf, newHistory, noteEntry, numberingHistory, type StreamHistory, valueAt } from '@/lib/whatif/stream-history';
import { attemptFacts } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

/** One attempt with where it stands in its stream. */
interface Presented {
  readonly index: number;
  readonly record: ResumeAttemptRecord;
  readonly history: StreamHistory;
  readonly at: number;
  readonly closedAt: number | null;
  readonly instant: number | null;
  /** Numbering that the cursor is of, null when no record tells; `foreign` when only another stream issued it. */
  readonly origin: Numbering | 'foreign' | null;
}

/**
 * The attempts of a history as cases: what their records do not report is taken from the records before them.
 * Positions of a case count events in order of emission, so that a buffer of n events is n events also where
 * streams share an id space.
 */
export function casesOfHistory(records: readonly TelemetryRecord[]): AttemptCase[] {
  const locator = new RecordLocator();
  const located = records.map((record) => locator.locate(record));
  const states = new Map<StreamTrack, { state: StreamState; history: StreamHistory }>();
  const cases: AttemptCase[] = [];
  for (const [index, place] of located.entries()) {
    const entry = place.kind === 'boot' ? undefined : place.track.entries[place.at];
    if (place.kind === 'boot' || entry === undefined) continue;
    const { track, at } = place;
    const known = states.get(track) ?? { state: emptyState(), history: newHistory(track) };
    states.set(track, known);
    const { state, history } = known;
    const { closedAt } = history;
    foldEntry(track, state, at);
    noteEntry(history, state, entry, at);
    if (entry.record.type !== 'resume_attempt') continue;
    const { record } = entry;
    const own = originOf(history, record, at);
    const origin = own ?? (isIssuedElsewhere(states.values(), history, record, at) ? 'foreign' : liveOrNull(entry.numbering, record, at));
    cases.push(caseAt({ index, record, history, at, closedAt, instant: instantOf(record), origin }, state, at));
  }
  return cases;
}

/**
 * The numbering a cursor is of: the newest in which a client was sent that id, else the newest that issued it. A
 * number in the live range that was never sent under it is an older numbering's.
 */
function originOf(history: StreamHistory, record: ResumeAttemptRecord, at: number): Numbering | null {
  const text = record.last_event_id;
  if (typeof text !== 'string') return null;
  const newestFirst = [...history.numberings].reverse();
  for (const [numbering, { delivered }] of newestFirst) {
    const position = numbering.positionOf(text, at);
    if (position !== null && holdsPosition(delivered, position)) return numbering;
  }
  for (const [numbering, { emissions }] of newestFirst) {
    const position = numbering.positionOf(text, at);
    if (position !== null && emissions.holds(position)) return numbering;
  }
  return null;
}

/** Whether another stream or session issued the id: then it is unknown here, whatever its number (row 6). */
function isIssuedElsewhere(
  all: Iterable<{ history: StreamHistory }>,
  own: StreamHistory,
  record: ResumeAttemptRecord,
  at: number,
): boolean {
  const text = record.last_event_id;
  if (typeof text !== 'string' || (record.cursor !== undefined && record.cursor !== null)) return false;
  for (const { history } of all) {
    if (history === own) continue;
    for (const [numbering, { emissions }] of history.numberings) {
      const position = numbering.positionOf(text, Math.max(at, history.instants.length));
      if (position !== null && emissions.holds(position)) return true;
    }
  }
  return false;
}

/** An id that nobody issued is read as a number of the live numbering where it can be: it may lie ahead of the head. */
function liveOrNull(live: Numbering, record: ResumeAttemptRecord, at: number): Numbering | null {
  return typeof record.last_event_id === 'string' && live.positionOf(record.last_event_id, at) !== null ? live : null;
}

function caseAt(presented: Presented, state: StreamState, at: number): AttemptCase {
  const { record, history, index, closedAt, instant } = presented;
  if (mayHaveUnseenAfter(presented)) return caseOfAttempt(record, index);
  const numbering = history.track.entries[at]?.numbering;
  if (numbering === undefined) return caseOfAttempt(record, index);
  const own = numberingHistory(history, numbering);
  const segments = own.emissions.segmentsBy(at);
  const shown = factsInNumbers(presented, numbering, state, at);
  if (segments === 0) return { ...caseOfAttempt(record, index), facts: shown, shown };

  const below = (position: bigint): bigint => own.emissions.countBelow(position, segments);
  const facts = factsInPlaces(shown, below);
  const lost = valueAt(own.lostBelow, at) ?? 0n;
  const floorUnder = (buffer: Buffer): bigint | null => {
    const floor = facts.head === undefined ? null : own.emissions.floorUnder(buffer, { segments, head: facts.head, at: instant });
    return floor !== null && lost > floor ? lost : floor;
  };
  const awayMs = closedAt === null || instant === null ? null : instant - closedAt;
  return {
    index,
    facts,
    shown,
    floorUnder,
    awayMs,
    factsAfterAway: closedAt === null ? null : (ms) => caseAfter(presented, closedAt + ms),
  };
}

/** Of what was told since records were kept back everything is retained, unless an eviction was told. */
function retainedSince(history: StreamHistory, numbering: Numbering): bigint | null {
  return history.unseenBefore === null ? null : numberingHistory(history, numbering).emissions.firstSince(history.unseenBefore);
}

/**
 * Whether events after the cursor may have been issued untold: unless its own was told, after the newest records
 * that were kept back. Then the attempt's own facts are all there is.
 */
function mayHaveUnseenAfter({ record, history, origin }: Presented): boolean {
  const { unseenBefore } = history;
  if (unseenBefore === null) return false;
  const text = record.last_event_id;
  if (!(origin instanceof Numbering) || typeof text !== 'string') return true;
  const position = origin.positionOf(text, history.instants.length);
  const { emissions, delivered } = numberingHistory(history, origin);
  if (position === null || !emissions.isIssuedSince(position, unseenBefore)) return true;
  // An earlier numbering may have issued the same id and written it, untold.
  return history.numberings.size > 1 && !holdsPosition(delivered, position);
}

/** The case as it would have stood at another instant of the recorded history; null beyond its ends. */
function caseAfter(presented: Presented, instant: number): AttemptCase | null {
  const { instants, fold } = presented.history;
  const newest = instants.at(-1);
  if (newest === undefined || instant > newest) return null;
  const at = lastAtOrBefore(instants, instant);
  if (at < 0) return null;
  advance(fold);
  return caseAt({ ...presented, instant }, stateAfter(fold, at), at);
}

function lastAtOrBefore(instants: readonly number[], instant: number): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] ?? instant) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Facts in the numbers of the records: what the attempt reports, else the folded state. */
function factsInNumbers(presented: Presented, numbering: Numbering, state: StreamState, at: number): AttemptFacts {
  const { record, history, origin } = presented;
  const reported = attemptFacts(record);
  const { floor, head, holes } = state.span;
  const isElsewhere = origin instanceof Numbering && origin !== numbering;
  const generation = numbering.generation ?? (isElsewhere ? 'current' : reported.generation);
  const former = (isElsewhere ? origin.generation : null) ?? 'former';
  const requested = isElsewhere ? (former === generation ? `former ${former}` : former) : generation;
  return {
    ...reported,
    sessionState: reported.sessionState ?? valueAt(history.sessionStates, at),
    generation,
    requestedGeneration: reported.requestedGeneration === undefined ? requested : reported.requestedGeneration,
    cursor: origin === 'foreign' ? null : cursorOf(reported, numbering, record, at),
    floor: floor ?? retainedSince(history, numbering) ?? undefined,
    head: head ?? undefined,
    holes,
  };
}

/** A text that the history cannot place names nothing that was issued here. */
function cursorOf(reported: AttemptFacts, numbering: Numbering, record: ResumeAttemptRecord, at: number): bigint | null | undefined {
  if (record.cursor === null) return null;
  const placed = presentedCursor(numbering, record, at);
  if (placed !== null) return placed;
  return numbering.hasEmissionsBy(at) && reported.lastEventId !== undefined ? null : reported.cursor;
}

function factsInPlaces(facts: AttemptFacts, below: (position: bigint) => bigint): AttemptFacts {
  const lastPlace = (position: bigint): bigint => below(position + 1n) - 1n;
  const head = facts.head === undefined ? undefined : lastPlace(facts.head);
  const isAhead = typeof facts.cursor === 'bigint' && facts.head !== undefined && facts.cursor > facts.head;
  const places = (ranges: readonly PositionRange[]): PositionRange[] =>
    ranges.map(({ first, last }) => ({ first: below(first), last: lastPlace(last) })).filter(({ first, last }) => first <= last);
  return {
    ...facts,
    head,
    floor: facts.floor === undefined ? undefined : below(facts.floor),
    cursor: typeof facts.cursor !== 'bigint' ? facts.cursor : isAhead && head !== undefined ? head + 1n : lastPlace(facts.cursor),
    holes: places(facts.holes),
    reused: places(facts.reused),
    coveredFrom: facts.coveredFrom === undefined ? undefined : below(facts.coveredFrom),
  };
}
