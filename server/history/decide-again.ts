import type { Sql } from '@/db/connect';
import type { ServerPeriod } from '@/lib/query/history-records';
import { queryAllPinnedRecords } from '@/lib/query/incident-records';
import type { FloorRule, Reason } from '@/lib/resume/types';
import type { BacktestResult, RetentionResult, WhatIfResult } from '@/lib/whatif/answer-schema';
import { backtest } from '@/lib/whatif/backtest';
import { adviseRetention, type Need, needsOf, type RetentionPoint } from '@/lib/whatif/retention';
import { WhatIfTally } from '@/lib/whatif/what-if';
import { readWhatIf, type WhatIfSource } from '@/server/history/read-what-if';
import { casesOfRecords, casesOfServer, type RecordedCases } from '@/server/history/server-cases';

type Tell = (progress: { readonly done: number; readonly changed: number }) => void;

/** Changed verdicts that an answer lists. */
const ITEMS_MAX = 100_000;
const BACKTEST_ITEMS_MAX = 1_000;
/** Attempts between two words about progress. */
const TELL_EVERY = 10_000;

/** Decides recorded attempts again as if a change had been in force. */
export async function whatIfOf(sql: Sql, text: string, tell: Tell): Promise<WhatIfResult> {
  const { source, change } = readWhatIf(text);
  const { basis, chunks } = await casesOf(sql, source);
  const tally = new WhatIfTally(change, ITEMS_MAX);
  const ids: (string | null)[] = [];
  for await (const chunk of chunks) {
    for (const { attempt, id } of chunk) {
      if (tally.add(attempt)) ids.push(id);
      if (tally.attempts % TELL_EVERY === 0) tell({ done: tally.attempts, changed: tally.changed });
    }
  }
  const { items, ...answer } = tally.answer();
  return { ...answer, items: items.map((item, place) => ({ ...item, id: ids[place] ?? null })), basis };
}

async function casesOf(sql: Sql, source: WhatIfSource): Promise<RecordedCases> {
  if (source.kind === 'server') return casesOfServer(sql, source.period);
  return casesOfRecords(source.kind === 'records' ? source.records : await queryAllPinnedRecords(sql, source.id));
}

/** Refusals avoided against memory, from what a server's clients needed in a period. */
export async function retentionOf(sql: Sql, period: ServerPeriod): Promise<RetentionResult> {
  const { basis, eventBytes, chunks } = await casesOfServer(sql, period);
  const needs: Need[] = [];
  for await (const chunk of chunks) for (const need of needsOf(chunk.map(({ attempt }) => attempt))) needs.push(need);
  const advice = adviseRetention(needs, eventBytes);
  return {
    ...told(period),
    basis,
    advice:
      advice === null
        ? null
        : {
            measured: advice.measured,
            censored: advice.censored,
            measured_up_to: advice.measuredUpTo,
            kept_now: advice.keptNow,
            points: advice.points.map(pointBody),
            knee: pointBody(advice.knee),
            config_line: advice.configLine,
            censoring: advice.censoring,
          },
  };
}

const pointBody = ({ events, served, servedAtMost, refusalsAvoided, bytes }: RetentionPoint) => ({
  events,
  served,
  served_at_most: servedAtMost,
  refusals_avoided: refusalsAvoided,
  bytes,
});

/** What enforcement would have done to the attempts of a server in a period. */
export async function backtestOf(sql: Sql, period: ServerPeriod, floor: FloorRule | null): Promise<BacktestResult> {
  const { basis, chunks } = await casesOfServer(sql, period);
  const counts = { attempts: 0, newly_refused: 0, still_refused: 0, over_refused: 0, still_resumed: 0, unverifiable: 0, not_applicable: 0 };
  const byReason: Partial<Record<Reason, number>> = {};
  const items: string[] = [];
  for await (const chunk of chunks) {
    const part = backtest(chunk, floor === null ? {} : { floor });
    counts.attempts += part.attempts;
    counts.newly_refused += part.newlyRefused;
    counts.still_refused += part.stillRefused;
    counts.over_refused += part.overRefused;
    counts.still_resumed += part.stillResumed;
    counts.unverifiable += part.unverifiable;
    counts.not_applicable += part.notApplicable;
    for (const [reason, count] of Object.entries(part.newlyRefusedByReason) as [Reason, number][]) {
      byReason[reason] = (byReason[reason] ?? 0) + count;
    }
    const refused = new Set(part.items);
    for (const { attempt, id } of chunk) {
      if (items.length < BACKTEST_ITEMS_MAX && refused.has(attempt.index) && id !== null) items.push(id);
    }
  }
  return { ...told(period), basis, ...counts, newly_refused_by_reason: byReason, items };
}

const told = ({ server, fromMs, toMs }: ServerPeriod) => ({
  server,
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});
