import { sessionKey } from '@/lib/audit/model/sessions';
import type { Attempt, ServerState, SessionState, StreamState } from '@/lib/audit/model/types';

const PROOF_MAX = 16;
const TOLD_MAX = 1_024;

/** The token was answered 404: from here on every further use of it counts. */
export function noteNotFound(session: SessionState, index: number, onListener: boolean): void {
  const { notFound } = session;
  if (notFound === null) session.notFound = { index, onListener, again: 0, records: [index] };
  else {
    notFound.again++;
    if (notFound.records.length < PROOF_MAX) notFound.records.push(index);
  }
}

/** The server answered the token well: it is alive, whatever was in doubt. */
export function noteWelcome(session: SessionState): void {
  session.doubt = null;
  session.notFound = null;
}

export function noteUse(session: SessionState, at: number | null, isSuccess: boolean): void {
  session.told = null;
  if (isSuccess && at !== null) session.usedAt = at;
}

/** The client was told that its session or cursor is gone; it owes a new start. */
export function noteTold(server: ServerState, session: SessionState, index: number, at: number | null): void {
  if (at !== null) session.told = { index, at };
  const key = sessionKey(session.token);
  if (server.told.at(-1) === key) return;
  server.told.push(key);
  if (server.told.length > TOLD_MAX) server.told.shift();
}

/** Counts how often a refused cursor comes again; a refusal frees the client from its cursor. */
export function noteRefusedCursor(stream: StreamState, attempt: Attempt, isBusy: boolean): void {
  if (isBusy || attempt.text === null) return;
  if (attempt.verdict === 'resumed') {
    stream.refused = null;
    return;
  }
  if (attempt.verdict !== 'refused') return;
  if (stream.held !== null) stream.held.isRefused = true;
  if (stream.refused?.text === attempt.text) {
    stream.refused.times++;
    if (stream.refused.records.length < PROOF_MAX) stream.refused.records.push(attempt.index);
  } else stream.refused = { text: attempt.text, times: 0, first: attempt.index, records: [attempt.index] };
}
