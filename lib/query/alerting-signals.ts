import type { Sql } from '@/db/connect';
import type { Labels } from '@/lib/alerting/labels';
import type { SignalMeasure } from '@/lib/alerting/measures';
import type { Rule } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';

/** Sets of labels and stretches that one reading returns. */
const ROWS_MAX = 20_000;

/** What was raised under `code` from `fromMs` (inclusive) to `toMs`, in stretches of `stepMs` counted from `fromMs`. */
export async function signalBuckets(
  sql: Sql,
  code: SignalMeasure,
  rule: Pick<Rule, 'filter' | 'groupBy'>,
  fromMs: number,
  toMs: number,
  stepMs: number,
): Promise<Bucket[]> {
  const rows = await sql<{ step: number; server: string; reason: string; count: number; last: Date }[]>`
    select floor((extract(epoch from at) * 1000 - ${fromMs}) / ${stepMs})::int as step, server, reason, count(*)::int as count, max(at) as last
    from alert_signal where ${raised(sql, code, fromMs, toMs)} and ${filtered(sql, rule.filter)}
    group by 1, 2, 3 order by 1 limit ${ROWS_MAX}`;
  return rows.map(({ step, count, last, ...labels }) => ({
    startMs: fromMs + step * stepMs,
    // A signal knows its server and its reason; of the other labels it has none.
    labels: Object.fromEntries(rule.groupBy.map((name) => [name, name === 'server' || name === 'reason' ? labels[name] : ''])),
    count,
    attempts: 0,
    leadMin: null,
    lastMs: last.getTime(),
  }));
}

/** What the newest signal under these labels says of itself; null when there is none. */
export async function newestSignal(
  sql: Sql,
  code: SignalMeasure,
  filter: Rule['filter'],
  labels: Labels,
  fromMs: number,
  toMs: number,
): Promise<string | null> {
  const { server, reason } = labels;
  const wanted = {
    ...filter,
    ...(server === undefined ? {} : { server: [server] }),
    ...(reason === undefined ? {} : { reason: [reason] }),
  };
  const [row] = await sql<{ detail: string }[]>`
    select detail from alert_signal where ${raised(sql, code, fromMs, toMs)} and ${filtered(sql, wanted)} order by seq desc limit 1`;
  return row?.detail ?? null;
}

const raised = (sql: Sql, code: SignalMeasure, fromMs: number, toMs: number) =>
  sql`code = ${code} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}`;

function filtered(sql: Sql, { server, reason, ...others }: Rule['filter']) {
  // What a signal does not have is empty text: only a filter that wants exactly that lets it pass.
  const isOut = Object.values(others).some((values) => !values.includes(''));
  return sql`${isOut ? sql`false` : sql`true`} and ${server === undefined ? sql`true` : sql`server in ${sql([...server])}`}
    and ${reason === undefined ? sql`true` : sql`reason in ${sql([...reason])}`}`;
}
