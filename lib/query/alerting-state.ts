import type { Sql } from '@/db/connect';
import type { AlertEvent } from '@/lib/alerting/answer-schema';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import type { Rule } from '@/lib/alerting/rule';
import type { StoredRule } from '@/lib/delivery/evaluation-store';

/** What a rule's machine remembers, as the API shows it. */
export interface RuleStanding {
  /** The rule as it was evaluated last. */
  readonly rule: Rule;
  readonly evaluatedAtMs: number;
  readonly instances: readonly Instance[];
  readonly groups: readonly Group[];
}

/** Where every rule stands after its last evaluation. */
export async function queryStandings(sql: Sql): Promise<RuleStanding[]> {
  const rows = await sql<{ state: string; evaluated_at: Date }[]>`select state, evaluated_at from alert_state order by rule`;
  return rows.map((row) => {
    // Written by the evaluator and by nothing else.
    const stored = JSON.parse(row.state) as Pick<StoredRule, 'rule' | 'groups'> & { readonly instances: StoredRule['state']['instances'] };
    return {
      rule: stored.rule,
      evaluatedAtMs: row.evaluated_at.getTime(),
      instances: Object.values(stored.instances),
      groups: Object.values(stored.groups),
    };
  });
}

/** How often each rule began to fire since an instant, and when last. */
export async function queryFired(sql: Sql, sinceMs: number): Promise<ReadonlyMap<string, { fired: number; firedAt: string }>> {
  const rows = await sql<{ rule: string; fired: number; last: Date }[]>`
    select rule, count(*)::int as fired, max(at) as last from alert_event
    where type = 'opened' and at >= ${new Date(sinceMs)} group by rule`;
  return new Map(rows.map(({ rule, fired, last }) => [rule, { fired, firedAt: last.toISOString() }]));
}

/** What happened to alerts lately, newest first. */
export async function queryAlertEvents(sql: Sql, rule: string | null, limit: number): Promise<AlertEvent[]> {
  const rows = await sql<(Omit<AlertEvent, 'at' | 'labels'> & { at: Date; labels: string })[]>`
    select seq::text as id, at, type, rule, labels, detail from alert_event
    where ${rule === null ? sql`true` : sql`rule = ${rule}`} order by seq desc limit ${limit}`;
  return rows.map((row) => ({ ...row, at: row.at.toISOString(), labels: JSON.parse(row.labels) as Record<string, string> }));
}

export interface EndpointStanding {
  readonly name: string;
  readonly failures: number;
  readonly notBefore: string | null;
  readonly disabledReason: string | null;
  /** Messages that wait, and those that were given up. */
  readonly waiting: number;
  readonly dead: number;
}

/** How the channels fare: pauses, failures in a row, and whether one is disabled. */
export async function queryEndpoints(sql: Sql): Promise<ReadonlyMap<string, EndpointStanding>> {
  const rows = await sql<EndpointRow[]>`
    select e.name, e.failures, e.not_before, e.disabled_reason, coalesce(d.waiting, 0)::int as waiting, coalesce(d.dead, 0)::int as dead
    from alert_endpoint e left join (
      select endpoint, count(*) filter (where state = 'pending') as waiting, count(*) filter (where state = 'dead') as dead
      from alert_delivery group by endpoint) d on d.endpoint = e.name`;
  return new Map(
    rows.map((row) => [
      row.name,
      {
        name: row.name,
        failures: row.failures,
        notBefore: row.not_before?.toISOString() ?? null,
        disabledReason: row.disabled_reason,
        waiting: row.waiting,
        dead: row.dead,
      },
    ]),
  );
}

interface EndpointRow {
  readonly name: string;
  readonly failures: number;
  readonly not_before: Date | null;
  readonly disabled_reason: string | null;
  readonly waiting: number;
  readonly dead: number;
}
