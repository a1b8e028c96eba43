import { idAt, placesOf } from '@/lib/audit/model/id-index';
import { lengthOf, type StreamLog } from '@/lib/audit/model/stream-log';
import type { ServerState, SessionState, StreamState } from '@/lib/audit/model/types';

export interface Elsewhere {
  readonly kind: 'earlier' | 'stream' | 'session';
  readonly log: StreamLog;
  readonly place: bigint;
}

/** Sessions searched for a foreign id; beyond it nothing is claimed. */
const SESSIONS_SEARCHED = 256;

/**
 * Where an id was issued that the own live log does not hold, as far as that log was told. Another stream or session counts only when its
 * ids and the own ones come from one space: two streams that each count from 1 share numbers by chance.
 */
export function findElsewhere(
  server: ServerState,
  session: SessionState,
  stream: StreamState,
  own: StreamLog | null,
  text: string,
): Elsewhere | null {
  // The own log may have issued it among what was kept back.
  if (session.hasUnseen) return null;
  const earlier = findIn(stream, text, own);
  if (earlier !== null) return { kind: 'earlier', ...earlier };
  for (const other of session.streams.values()) {
    if (other === stream) continue;
    const found = findIn(other, text, null);
    if (found !== null) return isOneSpace(own, found.log, text) ? { kind: 'stream', ...found } : null;
  }
  return findInSessions(server, session, own, text);
}

function findInSessions(server: ServerState, session: SessionState, own: StreamLog | null, text: string): Elsewhere | null {
  if (server.sessions.size > SESSIONS_SEARCHED) return null;
  for (const other of server.sessions.values()) {
    if (other === session) continue;
    for (const stream of other.streams.values()) {
      const found = findIn(stream, text, null);
      if (found !== null) return isOneSpace(own, found.log, text) ? { kind: 'session', ...found } : null;
    }
  }
  return null;
}

/** Newest log of a stream that holds the id. */
export function findIn(stream: StreamState, text: string, except: StreamLog | null): { log: StreamLog; place: bigint } | null {
  for (let i = stream.logs.length - 1; i >= 0; i--) {
    const log = stream.logs[i];
    if (log === undefined || log === except) continue;
    const place = placesOf(log.ids, text)[0];
    if (place !== undefined) return { log, place };
  }
  return null;
}

/**
 * No id of the one log is in the other, by a sample of both ends. Where the own stream has issued nothing, only an
 * id that is more than a number tells whose it is.
 */
function isOneSpace(own: StreamLog | null, other: StreamLog, text: string): boolean {
  if (own === null || lengthOf(own) === 0n) return !/^\d+$/.test(text);
  return (
    sample(own).every((text) => placesOf(other.ids, text).length === 0) &&
    sample(other).every((text) => placesOf(own.ids, text).length === 0)
  );
}

function sample(log: StreamLog): string[] {
  const texts: string[] = [];
  const length = lengthOf(log);
  for (const place of [log.floor, 0n, 1n, length / 2n, length - 2n, length - 1n]) {
    const text = place < 0n || place >= length ? null : idAt(log.ids, place);
    if (text !== null) texts.push(text);
  }
  return texts;
}
