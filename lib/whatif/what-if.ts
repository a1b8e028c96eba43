import { type AttemptCase, caseOfAttempt } from '@/lib/whatif/attempt-case';
import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import type { Change } from '@/lib/whatif/change';
import { type Outcome, outcomeOf, outcomeUnder } from '@/lib/whatif/decide-case';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** An attempt whose verdict or reason the change alters. */
export interface ChangedVerdict {
  readonly index: number;
  readonly before: Outcome;
  readonly after: Outcome;
}

/** Answer of `POST /api/v1/whatif` (contract section 6). */
export interface WhatIfAnswer {
  /** Attempts looked at. */
  readonly attempts: number;
  readonly changed: number;
  /** Attempts that no verdict can be given for, before or after: the records lack a fact, a size or an instant. */
  readonly untested: number;
  /** Of those changed, in order, at most `itemsMax`. */
  readonly items: readonly ChangedVerdict[];
  /** Attempts per verdict before and after, over all that could be tested. */
  readonly before: VerdictCounts;
  readonly after: VerdictCounts;
}

type VerdictCounts = Readonly<Record<Outcome['verdict'], number>>;

export interface WhatIfProgress {
  readonly done: number;
  readonly changed: number;
}

export interface WhatIfOptions {
  /** Changed verdicts that are listed; all are counted. */
  readonly itemsMax?: number;
  /** Attempts between two reports of progress. */
  readonly slice?: number;
}

const ITEMS_MAX = 100_000;
const SLICE = 10_000;

/** Decides every recorded attempt again as if `change` had been in force. Pure: the same records give the same answer. */
export function whatIf(records: readonly TelemetryRecord[], change: Change, options: WhatIfOptions = {}): WhatIfAnswer {
  const slices = whatIfSlices(casesOfHistory(records), change, options);
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
}

/** Cases of stored attempts that come without their histories. Lazy, so that a million of them need no room. */
export function* casesOfAttempts(records: Iterable<TelemetryRecord>): Generator<AttemptCase> {
  let index = 0;
  for (const record of records) {
    if (record.type === 'resume_attempt') yield caseOfAttempt(record, index);
    index += 1;
  }
}

/**
 * The same in slices: yields progress between them, so that the caller can let other work run, and stop by
 * `return()`.
 */
export function* whatIfSlices(
  cases: Iterable<AttemptCase>,
  change: Change,
  { itemsMax = ITEMS_MAX, slice = SLICE }: WhatIfOptions = {},
): Generator<WhatIfProgress, WhatIfAnswer> {
  const before = noVerdicts();
  const after = noVerdicts();
  const items: ChangedVerdict[] = [];
  let attempts = 0;
  let changed = 0;
  let untested = 0;
  for (const attempt of cases) {
    if (attempts > 0 && attempts % slice === 0) yield { done: attempts, changed };
    attempts += 1;
    const was = outcomeOf(attempt.facts);
    const would = was === null ? null : outcomeUnder(change, attempt);
    if (was === null || would === null) {
      untested += 1;
      continue;
    }
    before[was.verdict] += 1;
    after[would.verdict] += 1;
    if (was.reason === would.reason) continue;
    changed += 1;
    if (items.length < itemsMax) items.push({ index: attempt.index, before: was, after: would });
  }
  return { attempts, changed, untested, items, before, after };
}

const noVerdicts = (): Record<Outcome['verdict'], number> => ({ resume: 0, refuse: 0, fresh: 0, not_applicable: 0 });
