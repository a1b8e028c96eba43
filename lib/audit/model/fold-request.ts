import { startConn } from '@/lib/audit/model/conns';
import { hasPosition } from '@/lib/audit/model/intervals';
import { streamIn } from '@/lib/audit/model/sessions';
import type { StreamLog } from '@/lib/audit/model/stream-log';
import type { ServerState, SessionState } from '@/lib/audit/model/types';
import type { RequestMoment } from '@/lib/audit/rule';
import type { RecordOf } from '@/lib/wire/schema';

const CALLS_MAX = 1_024;

/** What a POST was, before the model takes it in: rules look at the state it met. */
export function requestMoment(
  serverState: ServerState,
  session: SessionState,
  record: RecordOf<'request'>,
  index: number,
  at: number | null,
): RequestMoment {
  const { status } = record;
  const isSuccess = status !== undefined && status !== null && status >= 200 && status < 300;
  return { record, index, at, session, serverState, isInitialize: record.rpc?.method === 'initialize', isSuccess };
}

/** Takes a POST into the model: its call, and the connection that will carry its answer. */
export function foldRequest(moment: RequestMoment): void {
  const { record, session, index, at } = moment;
  if (!moment.isSuccess) return;
  const isStream = record.stream !== undefined || record.content_type === 'text/event-stream';
  if (record.conn !== undefined && isStream) {
    streamIn(session, record.stream ?? 'get');
    startConn(session, {
      name: record.conn,
      stream: record.stream ?? 'get',
      kind: 'answer',
      isAccepted: true,
      status: record.status,
      node: record.node ?? null,
      index,
      at,
    });
  }
  const id = record.rpc?.id;
  if (id === undefined || id === null || record.stream === undefined) return;
  if (session.calls.size >= CALLS_MAX) {
    const [oldest] = session.calls.keys();
    if (oldest !== undefined) session.calls.delete(oldest);
  }
  session.calls.set(`${record.stream}\u0000${id}`, {
    rpcId: String(id),
    tool: record.tool ?? record.rpc?.method ?? null,
    argsDigest: record.args_digest ?? null,
    isIdempotent: record.idempotent === true,
    stream: record.stream,
    conn: record.conn ?? null,
    index,
    answer: null,
    isConnOpen: record.conn !== undefined,
  });
}

/** An answer was appended to a stream: the call it settles now has something to replay. */
export function foldAnswer(session: SessionState, record: RecordOf<'emit'>, log: StreamLog, index: number): void {
  const { rpc } = record;
  if (session.calls.size === 0 || rpc === undefined || (rpc.type !== 'response' && rpc.type !== 'error')) return;
  const call = session.calls.get(`${log.stream}\u0000${rpc.id}`);
  if (call !== undefined && log.ids.next > 0n) call.answer = { log, place: log.ids.next - 1n, index };
}

/** Forgets calls whose answer was written. */
export function settleCalls(session: SessionState): void {
  for (const [key, call] of session.calls)
    if (call.answer !== null && hasPosition(call.answer.log.received, call.answer.place)) session.calls.delete(key);
}
