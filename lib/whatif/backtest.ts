import type { Assessment } from '@/lib/resume/attempt-facts';
import { judgeAttempt } from '@/lib/resume/judge';
import type { FloorRule, Reason } from '@/lib/resume/types';
import type { AttemptCase } from '@/lib/whatif/attempt-case';
import { serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** What enforcement would have done to recorded attempts. */
export interface Backtest {
  readonly attempts: number;
  /** Resumed by the server and refused by the rules: what enforcement changes for clients. */
  readonly newlyRefused: number;
  /** Refused by both. */
  readonly stillRefused: number;
  /** Refused by the server and whole by the rules: enforcement cannot serve what the server does not. */
  readonly overRefused: number;
  /** Resumed by both. */
  readonly stillResumed: number;
  /** No verdict is possible: enforcement lets these pass. */
  readonly unverifiable: number;
  /** Without a cursor, or of a protocol without resumption. */
  readonly notApplicable: number;
  readonly newlyRefusedByReason: Readonly<Partial<Record<Reason, number>>>;
  /** Places of the newly refused, at most `itemsMax`. */
  readonly items: readonly number[];
}

const ITEMS_MAX = 10_000;

/** Decides recorded attempts as the enforcing proxy would have, under a floor rule of its own if one is given. */
export function backtest(
  attempts: Iterable<{ readonly attempt: AttemptCase; readonly record: ResumeAttemptRecord }>,
  { floor, itemsMax = ITEMS_MAX }: { readonly floor?: FloorRule; readonly itemsMax?: number } = {},
): Backtest {
  const counts: Record<Fate, number> = {
    newlyRefused: 0,
    stillRefused: 0,
    overRefused: 0,
    stillResumed: 0,
    unverifiable: 0,
    notApplicable: 0,
  };
  const byReason: Partial<Record<Reason, number>> = {};
  const items: number[] = [];
  let total = 0;
  for (const { attempt, record } of attempts) {
    total += 1;
    const facts = floor === undefined ? attempt.facts : { ...attempt.facts, floorRule: floor };
    const { decision, assessment } = judgeAttempt(facts, serverAct(record));
    const fate = fateOf(assessment, record.verdict, decision?.verdict === 'refuse');
    counts[fate] += 1;
    if (fate !== 'newlyRefused' || decision === null) continue;
    byReason[decision.reason] = (byReason[decision.reason] ?? 0) + 1;
    if (items.length < itemsMax) items.push(attempt.index);
  }
  return { attempts: total, ...counts, newlyRefusedByReason: byReason, items };
}

type Fate = 'newlyRefused' | 'stillRefused' | 'overRefused' | 'stillResumed' | 'unverifiable' | 'notApplicable';

function fateOf(assessment: Assessment, act: ResumeAttemptRecord['verdict'], isRefusal: boolean): Fate {
  if (assessment === 'not_applicable') return 'notApplicable';
  if (assessment === 'unverifiable') return 'unverifiable';
  if (assessment === 'over_refusal') return 'overRefused';
  const wasServed = act === 'resumed' || act === 'fresh';
  if (isRefusal) return wasServed ? 'newlyRefused' : 'stillRefused';
  return wasServed ? 'stillResumed' : 'stillRefused';
}
