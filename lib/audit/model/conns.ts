import { logOf, streamIn } from '@/lib/audit/model/sessions';
import { lengthOf } from '@/lib/audit/model/stream-log';
import type { Conn, ConnKind, SessionState, Tally } from '@/lib/audit/model/types';

/** Open connections kept per session; the oldest is forgotten without a word when there are more. */
const CONNS_MAX = 512;
const PROOF_MAX = 16;

export const emptyTally = (): Tally => ({ count: 0n, first: null, last: null, index: 0 });

export function tally(to: Tally, count: bigint, first: string | null, last: string | null, index: number): void {
  if (count === 0n) return;
  if (to.count === 0n) {
    to.first = first;
    to.index = index;
  }
  to.count += count;
  to.last = last;
}

export interface ConnStart {
  readonly name: string;
  readonly stream: string;
  readonly kind: ConnKind;
  readonly isAccepted: boolean;
  readonly status: number | null | undefined;
  readonly node: string | null;
  readonly index: number;
  readonly at: number | null;
}

/** A connection as it begins. It is owed what comes after the newest event of its log. */
export function startConn(session: SessionState, start: ConnStart): Conn {
  const stream = streamIn(session, start.stream);
  const log = logOf(stream, session.generation);
  const conn: Conn = {
    name: start.name,
    server: session.server,
    session: session.token,
    stream: start.stream,
    kind: start.kind,
    isAccepted: start.isAccepted,
    status: start.status,
    node: start.node,
    openedIndex: start.index,
    openedAt: start.at,
    log,
    owedFrom: start.kind === 'implied' ? null : log === null ? 0n : lengthOf(log),
    isOwedExact: true,
    lostCursor: null,
    attempt: null,
    written: [],
    skipped: [],
    firstWritten: null,
    cursor: null,
    frames: 0n,
    messages: 0n,
    lastFrameIndex: start.index,
    lastFrameAt: null,
    repeats: emptyTally(),
    withoutId: emptyTally(),
    earlier: emptyTally(),
    otherStream: emptyTally(),
    otherSession: emptyTally(),
    busy: null,
    records: [start.index],
  };
  if (start.isAccepted) keepConn(session, conn);
  return conn;
}

function keepConn(session: SessionState, conn: Conn): void {
  if (session.conns.size >= CONNS_MAX) {
    const [oldest] = session.conns.keys();
    if (oldest !== undefined) session.conns.delete(oldest);
  }
  session.conns.set(conn.name, conn);
}

export function addProof(conn: Conn, index: number): void {
  if (conn.records.length < PROOF_MAX) conn.records.push(index);
}

/** Other open connections of the stream that this one could have lost events to. */
export function othersOn(session: SessionState, conn: Conn): Conn[] {
  const others: Conn[] = [];
  for (const other of session.conns.values()) if (other !== conn && other.stream === conn.stream) others.push(other);
  return others;
}
