import type { Assessment, AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import { decisionFor, type KnownLog } from '@/lib/resume/decision';
import { testRow } from '@/lib/resume/row-tests';
import { type Decision, REASONS, type Reason } from '@/lib/resume/types';

/** JSON-RPC code of "another connection holds this stream": a conflict, never a refusal of the cursor. */
export const STREAM_BUSY_CODE = -32012;

export interface Judgement {
  /** What the rules say, as far as the facts go; null when they leave more than one verdict open. */
  readonly decision: Decision | null;
  readonly assessment: Assessment;
  /** Wire names of the facts that were not reported and could have changed the assessment. */
  readonly missing: readonly string[];
}

/**
 * Judges what a server did with an attempt by the facts that are known. Where a fact is missing every row it
 * leaves open is weighed; only if all of them lead to one assessment is it given, else `unverifiable`.
 */
export function judgeAttempt(facts: AttemptFacts, act: ServerAct): Judgement {
  const known = knownLog(facts);
  const open: Reason[] = [];
  const missing = new Set<string>();
  for (const reason of REASONS) {
    const test = testRow(reason, facts);
    if (test.outcome === 'passes' || (test.outcome === 'untested' && test.missing.length === 0)) continue;
    open.push(reason);
    for (const fact of test.missing) missing.add(fact);
    if (test.outcome === 'applies') break;
  }
  const decisions = open.map((reason) => decisionFor(reason, known));
  const final = decisions.at(-1);
  if (final === undefined) return { decision: null, assessment: 'unverifiable', missing: [...missing] };

  const assessments = new Set(decisions.map((decision) => assess(decision, act)));
  const [only] = assessments;
  if (assessments.size !== 1 || only === undefined) return { decision: null, assessment: 'unverifiable', missing: [...missing] };
  const isOneVerdict = decisions.every((decision) => decision.verdict === final.verdict);
  if (only === 'unverifiable') missing.add('status');
  return { decision: isOneVerdict ? final : null, assessment: only, missing: only === 'unverifiable' ? [...missing] : [] };
}

/** Measures an act by a decision that is certain (contract section 4). */
export function assess(decision: Decision, act: ServerAct): Assessment {
  if (decision.verdict === 'not_applicable' || decision.verdict === 'fresh') return 'not_applicable';
  if (isStreamBusy(act)) return 'correct';
  if (act.verdict === 'failed' && (act.status === null || act.status === undefined)) return 'unverifiable';
  if (act.verdict === 'refused' || act.verdict === 'failed') return assessRefusal(decision, act);
  if (decision.verdict === 'refuse') return 'unsafe_resume';
  return isReplayRight(decision, act) ? 'correct' : 'bad_replay';
}

/** Whether the server answered that another connection holds the stream. */
export function isStreamBusy(act: ServerAct): boolean {
  return act.verdict === 'refused' && (act.code === STREAM_BUSY_CODE || act.reason === 'stream_busy');
}

function assessRefusal(decision: Decision, act: ServerAct): Assessment {
  if (decision.verdict === 'resume') return 'over_refusal';
  return act.status === undefined || act.status === null || act.status === decision.status ? 'correct' : 'wrong_status';
}

/** An act without a report of what was replayed is taken at its word: there is no evidence against it. */
function isReplayRight(decision: Decision, act: ServerAct): boolean {
  if (act.replayed === null) return act.verdict !== 'fresh' || decision.replay === null || decision.replay.count === 0n;
  if (decision.replay === null) return true;
  const { count, first, last } = act.replayed;
  if (count !== decision.replay.count) return false;
  if (count === 0n) return true;
  return (first === null || first === decision.replay.from) && (last === null || last === decision.replay.to);
}

function knownLog(facts: AttemptFacts): KnownLog | null {
  const { floor, head } = facts;
  if (floor === undefined || head === undefined || floor > head + 1n) return null;
  return {
    policy: { floor: facts.floorRule },
    log: { floor, head, holes: facts.holes, reused: facts.reused, coveredFrom: facts.coveredFrom ?? null },
    cursor: facts.cursor ?? null,
  };
}
