import { judgeInHistory } from '@/lib/audit/model/attempt-judgement';
import { othersOn, startConn } from '@/lib/audit/model/conns';
import { type CursorOrigin, originOf } from '@/lib/audit/model/cursor-origin';
import { addInterval, minus, removeInterval, within } from '@/lib/audit/model/intervals';
import { placeOfEvent } from '@/lib/audit/model/place';
import { generationOf, logOf, streamIn } from '@/lib/audit/model/sessions';
import { lengthOf, messagesIn, type StreamLog } from '@/lib/audit/model/stream-log';
import type { Attempt, Conn, ServerState, SessionState, StreamState } from '@/lib/audit/model/types';
import type { Judgement } from '@/lib/resume/judge';
import { encodeDecision } from '@/lib/wire/encode-decision';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

export interface FoldedAttempt {
  readonly attempt: Attempt;
  readonly conn: Conn | null;
  readonly stream: StreamState;
}

/** Judges a resume attempt and, where the server accepted it, begins its connection. */
export function foldAttempt(
  server: ServerState,
  session: SessionState,
  record: ResumeAttemptRecord,
  index: number,
  at: number | null,
): FoldedAttempt {
  const stream = streamIn(session, record.stream ?? 'get');
  const log = logOf(stream, generationOf(session, record.generation));
  const text = record.last_event_id ?? null;
  const origin = originOf(server, session, stream, log, text);
  const attempt = attemptOf(record, judgeInHistory(session, log, record, origin), origin, log, index, at);
  const isAccepted = record.verdict === 'resumed' || record.verdict === 'fresh';
  if (!isAccepted) return { attempt, conn: null, stream };
  const conn = startConn(session, {
    name: record.conn ?? `?${stream.stream}`,
    stream: stream.stream,
    kind: attempt.text === null ? 'listener' : 'resume',
    isAccepted,
    status: record.status,
    node: record.node ?? null,
    index,
    at,
  });
  conn.attempt = attempt;
  conn.log = log;
  conn.owedFrom = log === null ? 0n : lengthOf(log);
  if (attempt.text === null) noteLostCursor(session, stream, conn);
  else owe(session, conn, origin, record);
  return { attempt, conn, stream };
}

function attemptOf(
  record: ResumeAttemptRecord,
  judgement: Judgement,
  origin: CursorOrigin,
  log: StreamLog | null,
  index: number,
  at: number | null,
): Attempt {
  const replayed = record.replayed ?? null;
  return {
    index,
    at,
    text: record.last_event_id || null,
    verdict: record.verdict,
    status: record.status,
    code: record.code ?? null,
    latencyMs: record.latency_ms ?? null,
    client: record.client?.name ?? null,
    decision: judgement.decision === null ? null : encodeDecision(judgement.decision),
    assessment: judgement.assessment,
    missing: judgement.missing,
    origin: origin.origin,
    length: log === null ? 0n : lengthOf(log),
    told: null,
    claim: replayed === null ? null : { count: BigInt(replayed.count), last: textOrNull(replayed.last) },
  };
}

const textOrNull = (id: string | number | null | undefined): string | null => (id === null || id === undefined ? null : String(id));

/** What an accepted cursor makes the server owe: everything after it. */
function owe(session: SessionState, conn: Conn, origin: CursorOrigin, record: ResumeAttemptRecord): void {
  const { log } = conn;
  if (origin.origin === 'earlier') {
    conn.owedFrom = 0n;
  } else if (origin.place !== null && log !== null && origin.place < lengthOf(log)) {
    conn.cursor = origin.place;
    conn.owedFrom = origin.place + 1n;
    believeCursor(session, conn, log, origin.place);
  } else if (log !== null) {
    const received = log.received.at(-1);
    conn.isOwedExact = false;
    if (received !== undefined) conn.owedFrom = received.last + 1n > log.toldFrom ? received.last + 1n : log.toldFrom;
  }
  if (log !== null) claim(conn, log, record);
}

/** The client says how far it got: what was written to it beyond never arrived. */
function believeCursor(session: SessionState, conn: Conn, log: StreamLog, place: bigint): void {
  if (othersOn(session, conn).length > 0) return;
  const last = lengthOf(log);
  for (const range of within(log.received, place + 1n, last)) addInterval(log.denied, range.first, range.last);
  removeInterval(log.received, place + 1n, last);
}

/** A claim of what the replay held settles what it left out, before any frame is seen. */
function claim(conn: Conn, log: StreamLog, record: ResumeAttemptRecord): void {
  const { replayed } = record;
  const head = lengthOf(log) - 1n;
  if (replayed === undefined || replayed === null || conn.owedFrom === null || conn.owedFrom > head) return;
  if (replayed.count === 0) {
    addInterval(conn.skipped, conn.owedFrom, head);
    conn.owedFrom = head + 1n;
    return;
  }
  const first = replayed.first === null || replayed.first === undefined ? null : placeOfEvent(log, replayed.first);
  if (first !== null && first > conn.owedFrom && first <= head) addInterval(conn.skipped, conn.owedFrom, first - 1n);
}

/** A client that was given a cursor and comes back without one: whatever came between is at stake. */
export function noteLostCursor(session: SessionState, stream: StreamState, conn: Conn): void {
  const { held } = stream;
  if (held === null || held.isCleared || held.isRefused || held.log !== conn.log) return;
  if (othersOn(session, conn).length > 0) return;
  const last = lengthOf(held.log) - 1n;
  if (held.place >= last) return;
  const missed = minus(messagesIn(held.log, [{ first: held.place + 1n, last }]), held.log.received);
  if (missed.length > 0) conn.lostCursor = { place: held.place, text: held.text, isHarmful: false };
}
