import { ASSESSMENT_CODES, MARK_CODES, REASON_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { causesOfMeasure } from '@/lib/alerting/causes';
import type { Labels } from '@/lib/alerting/labels';
import { type CountedMeasure, isFinding, isSignal, measureOf } from '@/lib/alerting/measures';
import { type LossFacts, NO_FACTS } from '@/lib/alerting/notification';
import type { Dimension, Rule } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';
import type { MeasureSource } from '@/lib/delivery/measure-source';
import { blindBuckets } from '@/lib/query/alerting-blindness';
import { findingBuckets, findingFacts } from '@/lib/query/alerting-findings';
import { openIncident } from '@/lib/query/alerting-incident';
import { isLossMark } from '@/lib/query/alerting-loss';
import { newestSignal, signalBuckets } from '@/lib/query/alerting-signals';

/** An attempt whose own time lies further back is history that was handed in later: stored and judged, never a reason to wake somebody. */
const LATENESS_MAX_MS = 2 * 86_400_000;
/** Clocks of senders may be ahead by this much. */
const AHEAD_MAX_MS = 86_400_000;
/** Sets of labels and stretches that one reading returns; the largest counts first. */
const ROWS_MAX = 20_000;

/** Measures read from what is stored, by the time at which it became known. */
export class PostgresMeasures implements MeasureSource {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async buckets(rule: Rule, fromMs: number, toMs: number, stepMs: number): Promise<Bucket[]> {
    const measure = measureOf(rule.measure);
    if (measure === null) return [];
    if (measure.base === 'telemetry_stopped') return this.#newest(rule, fromMs, toMs);
    if (isSignal(measure.base)) return signalBuckets(this.#sql, measure.base, rule, fromMs, toMs, stepMs);
    if (measure.base === 'blind')
      return this.#perAttempt(await blindBuckets(this.#sql, rule, fromMs, toMs, stepMs), rule, fromMs, toMs, stepMs);
    if (isFinding(measure.base))
      return this.#perAttempt(await findingBuckets(this.#sql, measure.base, rule, fromMs, toMs, stepMs), rule, fromMs, toMs, stepMs);
    const sql = this.#sql;
    const counted = measure.form === 'gauge' ? sql`false` : this.#counted(measure.base);
    const rows = await sql<BucketRow[]>`
      select floor((extract(epoch from a.received_at) * 1000 - ${fromMs}) / ${stepMs})::int as step, ${this.#labelColumns(rule.groupBy)},
        count(*) filter (where ${counted})::int as count, count(*)::int as attempts, min(a.lead)::text as lead_min, max(a.received_at) as last
      from attempt a ${this.#joins()}
      where ${this.#received(fromMs, toMs)} and ${this.#filter(rule.filter)} and ${isSparse(rule) ? counted : sql`true`}
      group by 1, 2
      order by 3 desc
      limit ${ROWS_MAX}`;
    return rows.map((row) => ({
      startMs: fromMs + row.step * stepMs,
      labels: labelsOf(rule.groupBy, row.label),
      count: row.count,
      attempts: row.attempts,
      leadMin: row.lead_min === null ? null : Number(row.lead_min),
      lastMs: row.last?.getTime() ?? null,
    }));
  }

  /** What is no attempt itself is measured, for a rate, against the attempts that were heard of in the same stretches. */
  async #perAttempt(counts: Bucket[], rule: Rule, fromMs: number, toMs: number, stepMs: number): Promise<Bucket[]> {
    if (measureOf(rule.measure)?.form !== 'rate' || counts.length === 0) return counts;
    const heard = await this.buckets({ ...rule, measure: 'attempts' }, fromMs, toMs, stepMs);
    return [...counts, ...heard.map((bucket) => ({ ...bucket, count: 0 }))];
  }

  async facts(rule: Rule, labels: Labels, fromMs: number, toMs: number): Promise<LossFacts> {
    const measure = measureOf(rule.measure);
    if (measure === null) return NO_FACTS;
    const facts = await this.#lossOf(rule, labels, fromMs, toMs);
    const server = labels['server'] ?? facts.proof?.server;
    return server === undefined ? facts : { ...facts, incident: await openIncident(this.#sql, server, causesOfMeasure(measure.base)) };
  }

  async #lossOf(rule: Rule, labels: Labels, fromMs: number, toMs: number): Promise<LossFacts> {
    const measure = measureOf(rule.measure);
    const wanted = dimensionsOf(labels);
    if (measure === null || measure.form === 'gauge' || measure.base === 'blind') return NO_FACTS;
    if (isSignal(measure.base))
      return { ...NO_FACTS, detail: await newestSignal(this.#sql, measure.base, rule.filter, wanted, fromMs, toMs) };
    if (isFinding(measure.base)) return findingFacts(this.#sql, measure.base, rule.filter, wanted, fromMs, toMs);
    const sql = this.#sql;
    const where = sql`${this.#received(fromMs, toMs)} and ${this.#filter({ ...rule.filter, ...listsOf(wanted) })} and ${this.#counted(measure.base)}`;
    const [row] = await sql<FactRow[]>`
      select coalesce(sum(a.gap_count) filter (where ${isLossMark(sql)}), 0)::text as events,
        bool_or(a.gap_count is null and ${isLossMark(sql)}) as at_least,
        count(distinct a.session_ref)::int as sessions,
        -- A stream other than the standalone one answers one call.
        count(distinct (a.session_ref, a.stream)) filter (where a.stream is not null)::int as calls
      from attempt a ${this.#joins()} where ${where}`;
    const [proof] = await sql<ProofRow[]>`
      select a.id, a.session_ref, s.name as server from attempt a ${this.#joins()} where ${where} order by a.received_at desc, a.id limit 1`;
    return {
      events: row?.events ?? null,
      eventsAtLeast: row?.at_least ?? false,
      sessions: row?.sessions ?? null,
      calls: row?.calls ?? null,
      incident: null,
      proof:
        proof === undefined
          ? null
          : { path: `/attempts/${proof.id}`, session: proof.session_ref?.replaceAll('-', '') ?? null, server: proof.server },
      detail: null,
    };
  }

  /** The newest record of each set of labels: one stretch, however long. */
  async #newest(rule: Rule, fromMs: number, toMs: number): Promise<Bucket[]> {
    const isByServer = rule.groupBy.every((dimension) => dimension === 'server');
    const rows =
      isByServer && Object.keys(rule.filter).every((name) => name === 'server')
        ? await this.#newestByServer(rule, fromMs, toMs)
        : await this.#newestByScan(rule, fromMs, toMs);
    return rows.map(({ label, last }) => ({
      startMs: fromMs,
      labels: labelsOf(rule.groupBy, label),
      count: 0,
      attempts: 0,
      leadMin: null,
      lastMs: last?.getTime() ?? null,
    }));
  }

  /** Two index look-ups per server: cheap however much was stored. */
  async #newestByServer(rule: Rule, fromMs: number, toMs: number): Promise<NewestRow[]> {
    const sql = this.#sql;
    const from = new Date(fromMs);
    const to = new Date(toMs);
    const label = rule.groupBy.length === 0 ? sql`jsonb_build_array()` : sql`jsonb_build_array(s.name)`;
    const names = rule.filter.server;
    return sql<NewestRow[]>`
      select ${label} as label, max(greatest(a.at, r.at)) as last
      from server s
      left join lateral (select at from attempt where server_id = s.id and at >= ${from} and at < ${to} order by at desc limit 1) a on true
      left join lateral (select max(last_at) as at from session where server_id = s.id and last_at >= ${from} and last_at < ${to}) r on true
      where ${names === undefined ? sql`true` : sql`s.name in ${sql([...names])}`} and (a.at is not null or r.at is not null)
      group by 1`;
  }

  async #newestByScan(rule: Rule, fromMs: number, toMs: number): Promise<NewestRow[]> {
    const sql = this.#sql;
    return sql<NewestRow[]>`
      select ${this.#labelColumns(rule.groupBy)}, max(a.received_at) as last from attempt a ${this.#joins()}
      where ${this.#received(fromMs, toMs)} and ${this.#filter(rule.filter)}
      group by 1 order by 2 desc limit ${ROWS_MAX}`;
  }

  #received(fromMs: number, toMs: number) {
    return this.#sql`a.received_at >= ${new Date(fromMs)} and a.received_at < ${new Date(toMs)}
      and a.at >= ${new Date(fromMs - LATENESS_MAX_MS)} and a.at < ${new Date(toMs + AHEAD_MAX_MS)}`;
  }

  #joins() {
    return this.#sql`join server s on s.id = a.server_id left join node n on n.id = a.node_id left join client c on c.id = a.client_id`;
  }

  #labelColumns(groupBy: readonly Dimension[]) {
    const sql = this.#sql;
    if (groupBy.length === 0) return sql`jsonb_build_array() as label`;
    const columns = groupBy.map((dimension) => sql`coalesce(${this.#column(dimension)}, '')`);
    return sql`jsonb_build_array(${columns.reduce((all, next) => sql`${all}, ${next}`)}) as label`;
  }

  #column(dimension: Dimension) {
    const sql = this.#sql;
    switch (dimension) {
      case 'server':
        return sql`s.name`;
      case 'node':
        return sql`n.name`;
      case 'client':
        return sql`c.name`;
      case 'session':
        return sql`replace(a.session_ref::text, '-', '')`;
      case 'reason':
        return sql`(array[${sql.unsafe(REASON_NAMES)}])[a.reason + 1]`;
    }
  }

  #filter(filter: Rule['filter']) {
    const sql = this.#sql;
    const conditions = Object.entries(filter).map(
      ([dimension, values]) => sql`coalesce(${this.#column(dimension as Dimension)}, '') in ${sql([...values])}`,
    );
    return conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`);
  }

  #counted(base: CountedMeasure) {
    const sql = this.#sql;
    if (base === 'attempts') return sql`true`;
    if (base === 'resume_unavailable') return sql`a.is_unavailable`;
    const code = Object.entries(ASSESSMENT_CODES).find(([name]) => name === base)?.[1];
    if (code === undefined) return sql`false`;
    const mark = Object.entries(MARK_CODES).find(([name]) => name === base)?.[1];
    // The mark says the same and is what the index of troubles knows.
    return mark === undefined ? sql`a.assessment = ${code}` : sql`(a.assessment = ${code} and a.mark = ${mark})`;
  }
}

/** A rule that fires on many of something need not read the rows that are not it; their count of zero fires nothing. */
const isSparse = (rule: Rule): boolean => {
  const form = measureOf(rule.measure)?.form;
  return (form === 'count' || form === 'deviation') && rule.op.startsWith('>') && rule.threshold > 0;
};

const REASON_NAMES = Object.entries(REASON_CODES)
  .sort(([, a], [, b]) => a - b)
  .map(([name]) => `'${name}'`)
  .join(', ');

const labelsOf = (groupBy: readonly Dimension[], values: readonly string[]): Labels =>
  Object.fromEntries(groupBy.map((dimension, index) => [dimension, values[index] ?? '']));

/** The labels that are dimensions of what is stored: an alert about a rule's own health has another. */
const dimensionsOf = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'alert_kind'));
const listsOf = (labels: Labels): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]));

interface BucketRow {
  readonly step: number;
  readonly label: string[];
  readonly count: number;
  readonly attempts: number;
  readonly lead_min: string | null;
  readonly last: Date | null;
}
interface NewestRow {
  readonly label: string[];
  readonly last: Date | null;
}
interface FactRow {
  readonly events: string;
  readonly at_least: boolean | null;
  readonly sessions: number;
  readonly calls: number;
}
interface ProofRow {
  readonly id: string;
  readonly session_ref: string | null;
  readonly server: string;
}
