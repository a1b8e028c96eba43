import type { Decision, FloorRule, LogFacts, Reason, ResumeFacts } from './facts.js';
import { lastFrom, missingAfter, touches } from './ranges.js';

/** First protocol revision without resumption. Revisions are ISO dates, so text order is date order. */
const FIRST_REVISION_WITHOUT_RESUMPTION = '2026-07-28';
const REVISION = /^\d{4}-\d{2}-\d{2}$/;
const CURSOR_BYTES_MAX = 1024;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * Decides what a resume attempt deserves. The first row that applies wins, so the order of the tests is the
 * rule. The caller has proved that `log.floor <= log.head + 1` and that ranges are sorted and disjoint.
 */
export function decideResume(facts: ResumeFacts, log: LogFacts, floorRule: FloorRule): Decision {
  const reason = reasonWithoutLog(facts) ?? reasonInLog(log, floorRule, facts.cursor ?? 0n);
  return decisionFor(reason, facts.cursor, log, floorRule);
}

/** The rows that need no log, in order; null when none of them applies and only the log can tell. */
export function reasonWithoutLog(facts: ResumeFacts): Reason | null {
  if (!hasResumption(facts.protocolVersion)) return 'protocol_era';
  if (facts.sessionState !== 'live') return `session_${facts.sessionState}`;
  const text = facts.lastEventId ?? '';
  if (text === '' && facts.cursor === null) return 'no_cursor';
  if (text.length > CURSOR_BYTES_MAX || !PRINTABLE_ASCII.test(text)) return 'malformed_cursor';
  if (facts.cursor === null) return 'unknown_cursor';
  if (facts.requestedGeneration === null) return 'generation_unknown';
  return facts.requestedGeneration === facts.generation ? null : 'generation_mismatch';
}

/** Whether a request under this revision can resume at all; an absent or unreadable revision is no claim. */
export function hasResumption(protocolVersion: string | null): boolean {
  return protocolVersion === null || !REVISION.test(protocolVersion) || protocolVersion < FIRST_REVISION_WITHOUT_RESUMPTION;
}

function reasonInLog(log: LogFacts, floorRule: FloorRule, cursor: bigint): Reason {
  if (cursor > log.head) return 'ahead_of_head';
  if (log.coveredFrom !== null && cursor < log.coveredFrom - 1n) return 'no_coverage';
  if (cursor < lowestAtFloor(log, floorRule)) return 'below_floor';
  if (touches(log.holes, cursor + 1n, log.head)) return 'hole';
  return touches(log.reused, cursor, log.head) ? 'id_reused' : 'ok';
}

const lowestAtFloor = (log: LogFacts, floorRule: FloorRule): bigint => (floorRule === 'retained' ? log.floor : log.floor - 1n);

/** The whole decision for a row that fired. With `log` null every number is null. */
export function decisionFor(reason: Reason, cursor: bigint | null, log: LogFacts | null, floorRule: FloorRule): Decision {
  const isLogTold = log !== null && reason !== 'protocol_era' && !reason.startsWith('session_');
  return {
    verdict: verdictOf(reason),
    reason,
    status: statusOf(reason),
    replay: isLogTold && reason === 'ok' && cursor !== null ? { from: cursor + 1n, to: log.head, count: log.head - cursor } : null,
    gap: isLogTold && (reason === 'below_floor' || reason === 'hole') && cursor !== null ? missingAfter(log, cursor) : null,
    earliestRetained: isLogTold && log.floor <= log.head ? log.floor : null,
    earliestResumableCursor: isLogTold ? earliestResumable(log, floorRule) : null,
    nextStep: verdictOf(reason) !== 'refuse' ? null : reason === 'malformed_cursor' ? 'drop_cursor' : 'reinitialize',
  };
}

function verdictOf(reason: Reason): Decision['verdict'] {
  if (reason === 'ok') return 'resume';
  if (reason === 'no_cursor') return 'fresh';
  return reason === 'protocol_era' ? 'not_applicable' : 'refuse';
}

function statusOf(reason: Reason): Decision['status'] {
  if (verdictOf(reason) !== 'refuse') return 200;
  if (reason === 'session_unknown' || reason === 'session_evicted') return 404;
  return reason === 'malformed_cursor' ? 400 : 409;
}

/** Exact, since every row of the log but `ahead_of_head` is a lower bound on the cursor. */
function earliestResumable(log: LogFacts, floorRule: FloorRule): bigint | null {
  const bounds = [0n, lowestAtFloor(log, floorRule), (log.coveredFrom ?? 0n) - 1n];
  const hole = lastFrom(log.holes, log.head);
  if (hole !== undefined) bounds.push(hole.last < log.head ? hole.last : log.head);
  let earliest = bounds.reduce((highest, bound) => (bound > highest ? bound : highest));
  const reused = lastFrom(log.reused, log.head);
  if (reused !== undefined && reused.last >= earliest) earliest = reused.last + 1n;
  return earliest > log.head ? null : earliest;
}
