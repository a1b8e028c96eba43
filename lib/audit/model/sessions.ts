import { newStreamLog, type StreamLog } from '@/lib/audit/model/stream-log';
import type { ServerState, SessionState, StreamState } from '@/lib/audit/model/types';

/** Sessions kept per server; the one unused for longest is forgotten first. */
const SESSIONS_MAX = 100_000;
const STREAMS_MAX = 1_024;
const LOGS_MAX = 8;
const NO_TOKEN = '\u0000';

export function serverIn(servers: Map<string, ServerState>, server: string): ServerState {
  let state = servers.get(server);
  if (state === undefined) {
    state = {
      server,
      boots: 0,
      created: 0,
      sessions: new Map(),
      told: [],
      clients: new Map(),
      lastAt: null,
      lastIndex: 0,
    };
    servers.set(server, state);
  }
  return state;
}

export const sessionKey = (token: string | null): string => token ?? NO_TOKEN;

export function sessionIn(server: ServerState, token: string | null, index: number): SessionState {
  const key = sessionKey(token);
  let state = server.sessions.get(key);
  if (state === undefined) {
    state = newSession(server.server, token, index);
    server.sessions.set(key, state);
    if (server.sessions.size > SESSIONS_MAX) forgetOldest(server);
  }
  return state;
}

function forgetOldest(server: ServerState): void {
  let victim: SessionState | null = null;
  let looked = 0;
  for (const session of server.sessions.values()) {
    if (victim === null || session.lastIndex < victim.lastIndex) victim = session;
    if (++looked >= 32) break;
  }
  if (victim !== null) server.sessions.delete(sessionKey(victim.token));
}

function newSession(server: string, token: string | null, index: number): SessionState {
  return {
    server,
    token,
    life: 'unseen',
    isCreated: false,
    generation: null,
    node: null,
    principal: null,
    ttlMs: null,
    doubt: null,
    rebuiltIndex: -1,
    restartIndex: -1,
    streams: new Map(),
    conns: new Map(),
    calls: new Map(),
    firstIndex: index,
    lastIndex: index,
    lastAt: null,
    usedAt: null,
    endedIndex: null,
    endedAt: null,
    isDeleted: false,
    notFound: null,
    denied: null,
    told: null,
    upstreams: new Map(),
    upstreamSuccessIndex: -1,
    silentLifetimes: [],
    hasDeliveries: false,
    isKeptBack: false,
    hasUnseen: false,
    hasUnseenEarlier: false,
    ghost: null,
  };
}

export function streamIn(session: SessionState, stream: string): StreamState {
  let state = session.streams.get(stream);
  if (state === undefined) {
    if (session.streams.size >= STREAMS_MAX) {
      const [oldest] = session.streams.keys();
      if (oldest !== undefined) session.streams.delete(oldest);
    }
    state = {
      stream,
      logs: [],
      held: null,
      refused: null,
      empty: { count: 0, first: 0, lastAt: null, records: [] },
      replaced: [],
      isFlapping: false,
      isEmptyLoop: false,
      statusless: 0,
      sameId: null,
      unwritten: [],
    };
    session.streams.set(stream, state);
  }
  return state;
}

/** The live log under a label, the newest numbering of it; null when no event of it was seen. */
export function logOf(stream: StreamState, generation: string | null): StreamLog | null {
  return stream.logs.findLast((log) => log.generation === generation) ?? null;
}

export function logIn(session: SessionState, stream: StreamState, generation: string | null, index: number): StreamLog {
  const known = logOf(stream, generation);
  if (known !== null) return known;
  // Events that came before the first label was reported belong to the first numbering that is named.
  const unlabelled = generation === null ? null : logOf(stream, null);
  if (unlabelled !== null && stream.logs.length === 1 && session.rebuiltIndex < 0) {
    unlabelled.generation = generation;
    return unlabelled;
  }
  return addLog(session, stream, generation, 0, index);
}

export function addLog(session: SessionState, stream: StreamState, generation: string | null, restarts: number, index: number): StreamLog {
  const log = newStreamLog(session.server, session.token, stream.stream, generation, index);
  log.restarts = restarts;
  stream.logs.push(log);
  if (stream.logs.length > LOGS_MAX) stream.logs.shift();
  return log;
}

/** Label an event or attempt is of: its own, else the session's. */
export function generationOf(session: SessionState, reported: string | number | null | undefined): string | null {
  return reported === undefined || reported === null ? session.generation : String(reported);
}
