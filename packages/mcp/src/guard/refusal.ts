import { type JsonPosition, jsonPosition } from '../position.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import type { Decision } from '../verdict/facts.js';

/** JSON-RPC codes of the refusals, from the range that MCP leaves to implementations. */
const REFUSAL_CODES = {
  resume_unavailable: -32010,
  malformed_cursor: -32011,
  stream_busy: -32012,
  session_gone: -32001,
  log_unreachable: -32013,
  stream_ended: -32000,
} as const;

export interface Refusal {
  readonly status: number;
  readonly error: RefusalError;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RefusalError {
  readonly code: number;
  readonly message: string;
  readonly data: RefusalData;
}

interface RefusalData {
  readonly type: keyof typeof REFUSAL_CODES;
  readonly reason: string;
  readonly cursor: JsonPosition | null;
  readonly floor: JsonPosition | null;
  readonly head: JsonPosition | null;
  readonly generation: string | null;
  readonly earliest_retained_id: string | null;
  readonly missing: JsonPosition | null;
  readonly next_step: string | null;
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const;

/**
 * The answer to a resume that must not happen: status, JSON-RPC body and headers. Numbers are those of the
 * session that was asked for; where the cursor is not of its live history none are given, so that a refusal
 * tells nothing about any other session.
 */
export function refusalOf(decision: Decision, facts: CursorFacts): Refusal {
  const type = decision.status === 404 ? 'session_gone' : decision.status === 400 ? 'malformed_cursor' : 'resume_unavailable';
  const isTold = type === 'resume_unavailable' && decision.reason !== 'unknown_cursor' && decision.reason !== 'session_superseded';
  const number = (position: bigint | null | undefined) =>
    isTold && position !== null && position !== undefined ? jsonPosition(position) : null;
  return refusal(decision.status, `${type}: ${sentenceOf(decision)}`, {
    type,
    reason: decision.reason,
    cursor: number(facts.cursor),
    floor: number(facts.floor),
    head: number(facts.head),
    generation: isTold ? (facts.generation ?? null) : null,
    earliest_retained_id: isTold ? facts.earliestRetainedId : null,
    missing: number(decision.gap?.count),
    next_step: decision.nextStep,
  });
}

/** The answer when the session log cannot be asked: never a guess. */
export function logUnreachable(): Refusal {
  const sentence = 'the session log cannot be reached; send the same request again later';
  const answer = refusal(503, `log_unreachable: ${sentence}`, withoutNumbers('log_unreachable', 'retry'));
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

/** The answer when another connection holds the stream: a conflict, not a loss. */
export function streamBusy(): Refusal {
  const sentence = 'another connection holds this stream; close it, or come back when it has ended';
  return refusal(409, `stream_busy: ${sentence}`, withoutNumbers('stream_busy', 'retry'));
}

/** The answer to a cursor that only ever stood on the end of a refused stream. */
export function streamEnded(): Refusal {
  const sentence = 'this stream ended with an error and there is nothing to resume; initialize again';
  const answer = refusal(405, `stream_ended: ${sentence}`, withoutNumbers('stream_ended', 'reinitialize'));
  return { ...answer, headers: { ...answer.headers, allow: 'POST, DELETE' } };
}

function withoutNumbers(type: RefusalData['type'], nextStep: string): RefusalData {
  return {
    type,
    reason: type,
    cursor: null,
    floor: null,
    head: null,
    generation: null,
    earliest_retained_id: null,
    missing: null,
    next_step: nextStep,
  };
}

function refusal(status: number, message: string, data: RefusalData): Refusal {
  const error = { code: REFUSAL_CODES[data.type], message, data };
  return { status, error, headers: HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) };
}

function sentenceOf({ reason, gap }: Decision): string {
  switch (reason) {
    case 'malformed_cursor':
      return 'the Last-Event-ID cannot be a cursor; send the request without it';
    case 'session_unknown':
    case 'session_evicted':
      return 'the session does not exist any more; initialize a new one';
    case 'session_superseded':
      return 'the session was replaced by a newer one; initialize again';
    case 'unknown_cursor':
      return 'the Last-Event-ID was not issued on this session; initialize again';
    case 'generation_unknown':
    case 'generation_mismatch':
      return 'the Last-Event-ID is of an earlier state of this session; initialize again';
    case 'below_floor':
    case 'hole':
      return `${gap?.count ?? 'some'} events after the Last-Event-ID are no longer retained; initialize again`;
    default:
      return 'the events after the Last-Event-ID cannot be replayed whole; initialize again';
  }
}
