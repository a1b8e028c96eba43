import type { ServerState, SessionLife, SessionState } from '@/lib/audit/model/types';
import type { SessionMoment } from '@/lib/audit/rule';
import { parsePosition } from '@/lib/base/position';
import type { RecordOf } from '@/lib/wire/schema';
import { generationText } from '@/lib/wire/verdict-request';

const LIVES: Readonly<Record<RecordOf<'session'>['event'], SessionLife>> = {
  created: 'live',
  restored: 'live',
  ended: 'evicted',
  evicted: 'evicted',
  superseded: 'superseded',
};

/** Books what happened to a session and answers what it was before. */
export function foldSession(
  serverState: ServerState,
  session: SessionState,
  record: RecordOf<'session'>,
  index: number,
  at: number | null,
): SessionMoment {
  const former = { life: session.life, usedAt: session.usedAt, principal: session.principal };
  session.life = LIVES[record.event];
  session.doubt = null;
  if (record.event === 'created' || record.event === 'restored') begin(serverState, session, record, index, at);
  else end(session, record, index, at);
  return { record, index, at, session, serverState, former };
}

function begin(server: ServerState, session: SessionState, record: RecordOf<'session'>, index: number, at: number | null): void {
  if (record.event === 'created') {
    if (!session.isCreated) server.created++;
    if (session.streams.size === 0) session.isCreated = true;
  }
  if (record.event === 'restored' || session.streams.size > 0) {
    if (record.event === 'created' || isNewLabel(session, record)) leaveUnseen(session);
    session.rebuiltIndex = index;
    session.restartIndex = index;
  }
  session.node = record.node ?? session.node;
  session.principal = record.principal ?? session.principal;
  session.ttlMs = record.ttl_ms ?? session.ttlMs;
  session.usedAt = at ?? session.usedAt;
  session.endedIndex = null;
  session.endedAt = null;
  session.isDeleted = false;
  session.notFound = null;
  session.denied = null;
  session.told = null;
  session.ghost = null;
  session.generation = generationText(record.generation) ?? session.generation;
  noteHead(session, parsePosition(record.head));
}

function isNewLabel(session: SessionState, record: RecordOf<'session'>): boolean {
  const generation = generationText(record.generation);
  return generation !== null && generation !== session.generation;
}

/** What was kept back was of the numbering that ends here. */
function leaveUnseen(session: SessionState): void {
  session.hasUnseenEarlier ||= session.hasUnseen;
  session.hasUnseen = false;
}

function noteHead(session: SessionState, head: bigint | null): void {
  if (head === null) return;
  for (const stream of session.streams.values()) {
    for (const log of stream.logs) if (log.generation === session.generation) log.reportedHead = head;
  }
}

function end(session: SessionState, record: RecordOf<'session'>, index: number, at: number | null): void {
  session.endedIndex = index;
  session.endedAt = at;
  if (record.event === 'ended') session.isDeleted = true;
}

/**
 * A process start: sessions it may have held are in doubt until something shows them alive. Another node's
 * start says nothing, nor does one under the generation the session already has.
 */
export function foldBoot(server: ServerState, record: RecordOf<'boot'>, index: number): void {
  server.boots++;
  const generation = generationText(record.generation);
  for (const session of server.sessions.values()) {
    if (session.node !== null && record.node !== undefined && session.node !== record.node) continue;
    session.restartIndex = index;
    if (session.life !== 'live' && session.life !== 'unseen') continue;
    if (generation !== null && generation === session.generation) continue;
    session.doubt = { index, generation };
  }
}
