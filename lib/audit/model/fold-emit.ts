import { appendId, appendNumbers, placesOf } from '@/lib/audit/model/id-index';
import { addInterval } from '@/lib/audit/model/intervals';
import { addLabel, labelOf } from '@/lib/audit/model/labels';
import { addLog, generationOf, logIn, logOf, streamIn } from '@/lib/audit/model/sessions';
import { addDigest, addEmit, addNote, lengthOf, type StreamLog, textAt } from '@/lib/audit/model/stream-log';
import type { SessionState, StreamState } from '@/lib/audit/model/types';
import type { EmitMoment } from '@/lib/audit/rule';
import { parsePosition } from '@/lib/base/position';
import type { RecordOf } from '@/lib/wire/schema';

type Emit = RecordOf<'emit'>;

const PROOF_MAX = 16;

/** Appends the events of an `emit` record to their log and says what was odd about their ids. */
export function foldEmit(session: SessionState, record: Emit, index: number, at: number | null): EmitMoment {
  const stream = streamIn(session, record.stream ?? 'get');
  const generation = generationOf(session, record.generation);
  const before = logOf(stream, generation);
  if (before === null && generation !== null) session.generation = generation;
  const restarted = before !== null && session.restartIndex > before.lastIndex && isRestart(before, record) ? before : null;
  const log = restarted === null ? logIn(session, stream, generation, index) : restart(session, stream, restarted, index);
  const begins = lengthOf(log);
  if (begins === 0n) log.isWhole = startsWhole(session, stream, record);
  const again = append(log, record);
  describe(log, record, begins);
  log.lastIndex = index;
  log.lastEmitAt = at ?? log.lastEmitAt;
  if (lengthOf(log) > begins) addEmit(log, begins, index);
  if (begins === 0n) stream.sameId = null;
  const endedRun = followId(stream, record, again, index);
  return { session, stream, log, index, again, endedRun, restart: describeRestart(stream, log, record) };
}

const firstId = (record: Emit): string => String(record.range?.[0] ?? record.event_ids?.[0] ?? record.event_id ?? '');
const lastId = (record: Emit): string => String(record.range?.[1] ?? record.event_ids?.at(-1) ?? record.event_id ?? '');

/** Follows how many events in a row carry one id; answers the run that this record ended, when it was one. */
function followId(stream: StreamState, record: Emit, again: EmitMoment['again'], index: number): StreamState['sameId'] {
  const { sameId: former } = stream;
  const ids = record.event_ids;
  const text = lastId(record);
  const isLong = ids === undefined ? firstId(record) !== text : ids.some((id) => String(id) !== text);
  if (former !== null && former.text === text && !isLong) {
    former.count += ids?.length ?? 1;
    former.digestsDiffer ||= again?.digestDiffers === true;
    if (former.records.length < PROOF_MAX) former.records.push(index);
    return null;
  }
  stream.sameId = {
    text,
    count: isLong ? 1 : (ids?.length ?? 1),
    first: index,
    records: [index],
    digestsDiffer: again?.digestDiffers === true,
    hasOther: isLong || former !== null,
  };
  return former !== null && former.count > 1 && former.digestsDiffer && !former.hasOther ? former : null;
}

/**
 * A log begun under a session's creation holds all, and so does a response stream that begins later. A listener's
 * log that was taken over holds all when it starts at 0 or 1.
 */
function startsWhole(session: SessionState, stream: StreamState, record: Emit): boolean {
  const isNewStream = stream.stream !== 'get' && stream.logs.length === 1;
  if (session.isCreated && !session.hasUnseen && (session.rebuiltIndex < 0 || isNewStream)) return true;
  const number = record.position === undefined ? parsePosition(firstId(record)) : parsePosition(record.position);
  return number !== null && number <= 1n;
}

/**
 * Numbering restarted under one label when an id is issued again after the session was rebuilt, unless it
 * carries the same content. A new process alone is no restart.
 */
function isRestart(log: StreamLog, record: Emit): boolean {
  const [place] = placesOf(log.ids, firstId(record));
  if (place === undefined) return false;
  const known = log.digests.get(place);
  const digest = digestAt(record, 0);
  return known === undefined || digest === null || known !== digest;
}

function restart(session: SessionState, stream: StreamState, former: StreamLog, index: number): StreamLog {
  return addLog(session, stream, former.generation, former.restarts + 1, index);
}

/** How far a restarted numbering has issued the former one's ids again; null while this record issued none of them. */
function describeRestart(stream: StreamState, log: StreamLog, record: Emit): EmitMoment['restart'] {
  if (log.restarts === 0) return null;
  const former = stream.logs.findLast((other) => other.generation === log.generation && other.restarts < log.restarts);
  const [place] = former === undefined ? [] : placesOf(former.ids, firstId(record));
  if (former === undefined || place === undefined) return null;
  const first = textAt(log, 0n) ?? firstId(record);
  const begin = placesOf(former.ids, first)[0] ?? place;
  const shared = lengthOf(former) - begin;
  const count = shared < lengthOf(log) ? shared : lengthOf(log);
  const last = textAt(log, count - 1n) ?? lastId(record);
  return { count, first, last, isProved: former.digests.has(place), formerIndex: former.lastIndex };
}

function digestAt(record: Emit, at: number): string | null {
  return (
    record.digests?.[at] ?? (at === 0 && record.event_ids === undefined && record.range === undefined ? (record.digest ?? null) : null)
  );
}

function append(log: StreamLog, record: Emit): EmitMoment['again'] {
  if (record.range !== undefined) return appendRange(log, record);
  let again: EmitMoment['again'] = null;
  const ids = record.event_ids ?? [record.event_id ?? ''];
  for (const [at, id] of ids.entries()) {
    const found = appendOne(log, String(id), digestAt(record, at), at === 0 ? parsePosition(record.position) : null);
    if (found !== null && (again === null || found.digestDiffers)) again = found;
  }
  return again;
}

function appendOne(log: StreamLog, text: string, digest: string | null, position: bigint | null): EmitMoment['again'] {
  const known = placesOf(log.ids, text);
  const newest = known.at(-1);
  const isAdjacent = newest !== undefined && newest === lengthOf(log) - 1n;
  const former = newest === undefined ? undefined : log.digests.get(newest);
  const digestDiffers = former !== undefined && digest !== null && former !== digest;
  // Issued again with nothing to tell it from the first: a repeated record is likelier than a repeated id.
  if (newest !== undefined && !digestDiffers) return isAdjacent && digest === null ? { text, digestDiffers, isAdjacent } : null;
  const place = appendId(log.ids, text);
  addLabel(log.labels, place, labelOf(position, text));
  if (digest !== null) addDigest(log, place, digest);
  if (newest === undefined) return null;
  for (const shared of known) addInterval(log.reused, shared, shared);
  addInterval(log.reused, place, place);
  return { text, digestDiffers, isAdjacent };
}

/** Only the part above what the log already holds is new; the rest is a record sent again. */
function appendRange(log: StreamLog, record: Emit): null {
  const first = parsePosition(record.range?.[0]);
  const last = parsePosition(record.range?.[1]);
  if (first === null || last === null) return null;
  let from = first;
  if (placesOf(log.ids, String(first)).length > 0) {
    const newest = lengthOf(log) - 1n;
    const label = placesOf(log.ids, String(last))[0];
    const piece = log.labels.pieces.at(-1);
    if (label !== undefined || piece === undefined) return null;
    from = piece.label + newest - piece.place + 1n;
    if (from > last || from < first) return null;
  }
  const place = appendNumbers(log.ids, from, last);
  addLabel(log.labels, place, from);
  for (const [at, digest] of (record.digests ?? []).entries()) if (digest !== null) addDigest(log, place + BigInt(at), digest);
  return null;
}

function describe(log: StreamLog, record: Emit, first: bigint): void {
  const last = lengthOf(log) - 1n;
  if (last < first) return;
  if (record.kind === 'priming') addInterval(log.priming, first, last);
  if (record.to === 'other') addInterval(log.withheld, first, last);
  if (record.rpc === undefined) return;
  const { type, method, id, progress_token: token } = record.rpc;
  addNote(log, {
    first,
    last,
    type: type ?? null,
    method: method ?? null,
    id: id === undefined || id === null ? null : String(id),
    progressToken: token === undefined || token === null ? null : String(token),
  });
}
