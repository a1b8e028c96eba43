import { type JsonPosition, jsonPosition } from '../position.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import type { Decision } from '../verdict/facts.js';

/** JSON-RPC codes of the refusals, from the range that MCP leaves to implementations. */
export const REFUSAL_CODES = {
  resume_unavailable: -32010,
  malformed_cursor: -32011,
  session_gone: -32001,
  log_unreachable: -32013,
} as const;

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
  const answer = refusal(503, 'log_unreachable: the session log cannot be reached; send the same request again later', {
    type: 'log_unreachable',
    reason: 'log_unreachable',
    cursor: null,
    floor: null,
    head: null,
    generation: null,
    earliest_retained_id: null,
    missing: null,
    next_step: 'retry',
  });
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

function refusal(status: number, message: string, data: RefusalData): Refusal {
  const code = REFUSAL_CODES[data.type];
  return { status, code, headers: HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data } }) };
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
