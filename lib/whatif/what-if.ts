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
  const tally = new WhatIfTally(change, itemsMax);
  for (const attempt of cases) {
    if (tally.attempts > 0 && tally.attempts % slice === 0) yield { done: tally.attempts, changed: tally.changed };
    tally.add(attempt);
  }
  return tally.answer();
}

/** Counts verdicts before and under a change, one attempt after the other, for callers that get their attempts bit by bit. */
export class WhatIfTally {
  readonly #change: Change;
  readonly #itemsMax: number;
  readonly #before = noVerdicts();
  readonly #after = noVerdicts();
  readonly #items: ChangedVerdict[] = [];
  #attempts = 0;
  #changed = 0;
  #untested = 0;

  constructor(change: Change, itemsMax: number = ITEMS_MAX) {
    this.#change = change;
    this.#itemsMax = itemsMax;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get changed(): number {
    return this.#changed;
  }

  /** Decides an attempt twice. True when it is one of those that the answer lists. */
  add(attempt: AttemptCase): boolean {
    this.#attempts += 1;
    const before = outcomeOf(attempt.facts);
    const after = before === null ? null : outcomeUnder(this.#change, attempt);
    if (before === null || after === null) {
      this.#untested += 1;
      return false;
    }
    this.#before[before.verdict] += 1;
    this.#after[after.verdict] += 1;
    if (before.reason === after.reason) return false;
    this.#changed += 1;
    if (this.#items.length >= this.#itemsMax) return false;
    this.#items.push({ index: attempt.index, before, after });
    return true;
  }

  answer(): WhatIfAnswer {
    return {
      attempts: this.#attempts,
      changed: this.#changed,
      untested: this.#untested,
      items: this.#items,
      before: this.#before,
      after: this.#after,
    };
  }
}

const noVerdicts = (): Record<Outcome['verdict'], number> => ({ resume: 0, refuse: 0, fresh: 0, not_applicable: 0 });
