import type { ServerResponse } from 'node:http';
import { encodePosition, type JsonPosition } from '@/lib/base/position';
import type { Decision, Reason } from '@/lib/resume/types';
import type { LocatedCursor } from '@/lib/session-log/locate-cursor';

/** JSON-RPC codes of the proxy's own answers (contract section 3). */
export const CODES = { unavailable: -32010, sessionGone: -32001, malformed: -32011, streamBusy: -32012, storeDown: -32013 } as const;

/** After these the session is fenced: its later requests get 404 until a new `initialize`. */
export const FENCING_REASONS: ReadonlySet<Reason> = new Set<Reason>(['generation_mismatch', 'generation_unknown', 'session_superseded']);

export interface RefusalData {
  readonly type: 'resume_unavailable' | 'session_gone' | 'malformed_cursor' | 'stream_busy' | 'store_unavailable';
  readonly reason: string;
  readonly cursor?: JsonPosition | null;
  readonly floor?: JsonPosition | null;
  readonly head?: JsonPosition | null;
  readonly generation?: string | null;
  readonly earliest_retained_id?: string | null;
  readonly missing?: JsonPosition | null;
  readonly next_step?: string | null;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: RefusalData;
}

const SENTENCES: Partial<Record<Reason, string>> = {
  unknown_cursor: 'this cursor was not issued on a stream of this session',
  generation_unknown: 'it cannot be proved which generation of the session issued this cursor',
  generation_mismatch: 'the session was rebuilt since this cursor was issued',
  ahead_of_head: 'the cursor is ahead of everything that was issued',
  no_coverage: 'this log began after the cursor',
  below_floor: 'events after the cursor are no longer retained',
  hole: 'an event after the cursor is missing from the log',
  id_reused: 'an event id after the cursor was issued twice',
  session_superseded: 'a newer session replaced this one',
};

/** The error object of a refusal, the same in a status body and in a terminal event. */
export function refusalError(decision: Decision, located: LocatedCursor): RpcError {
  if (decision.status === 404) return SESSION_GONE;
  if (decision.status === 400) {
    return {
      code: CODES.malformed,
      message: 'malformed_cursor: Last-Event-ID must be printable ASCII of at most 1,024 bytes; drop it and open a new stream',
      data: { type: 'malformed_cursor', reason: decision.reason, next_step: decision.nextStep },
    };
  }
  const stream = located.stream;
  const earliest =
    stream === null || decision.earliestRetained === null ? null : (stream.at(Number(decision.earliestRetained))?.id ?? null);
  return {
    code: CODES.unavailable,
    message: `resume_unavailable: ${SENTENCES[decision.reason] ?? decision.reason}; start a new session with initialize`,
    data: {
      type: 'resume_unavailable',
      reason: decision.reason,
      cursor: located.isPositionKnown && located.request.cursor !== null ? encodePosition(located.request.cursor) : null,
      floor: stream === null ? null : encodePosition(located.log.floor),
      head: stream === null ? null : encodePosition(located.log.head),
      generation: located.session.generation,
      earliest_retained_id: earliest,
      missing: decision.gap === null || !located.isPositionKnown ? null : encodePosition(decision.gap.count),
      next_step: decision.nextStep,
    },
  };
}

/** One body for every session that cannot be used: unknown, ended, fenced, or somebody else's. */
export const SESSION_GONE: RpcError = {
  code: CODES.sessionGone,
  message: 'session_gone: no such session; start a new one with initialize',
  data: { type: 'session_gone', reason: 'session_gone', next_step: 'reinitialize' },
};

export const STREAM_BUSY: RpcError = {
  code: CODES.streamBusy,
  message: 'stream_busy: another connection holds this stream; close it, or retry when it has ended',
  data: { type: 'stream_busy', reason: 'stream_busy', next_step: 'retry' },
};

export const STORE_UNAVAILABLE: RpcError = {
  code: CODES.storeDown,
  message: 'store_unavailable: the session log cannot be reached, so no cursor can be judged now; retry with the same cursor',
  data: { type: 'store_unavailable', reason: 'store_unavailable', next_step: 'retry' },
};

/** Answers with a bare status and the JSON-RPC error under `id: null`, as style `status` asks. */
export function sendRefusal(res: ServerResponse, status: number, error: RpcError, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  res.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(body);
}

/** Answers with an error of the product's own surface (contract section 6). */
export function sendError(res: ServerResponse, status: number, code: string, message: string, nextStep?: string): void {
  const body = JSON.stringify({ error: { code, message, ...(nextStep === undefined ? {} : { next_step: nextStep }) } });
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
