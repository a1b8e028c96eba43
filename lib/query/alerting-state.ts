import type { Sql } from '@/db/connect';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import type { StoredRule } from '@/lib/delivery/evaluation-store';

/** What a rule's machine remembers, as the API shows it. */
export interface RuleStanding {
  readonly rule: string;
  readonly evaluatedAtMs: number;
  readonly instances: readonly Instance[];
  readonly groups: readonly Group[];
}

/** Where every rule stands after its last evaluation. */
export async function queryStandings(sql: Sql): Promise<RuleStanding[]> {
  const rows = await sql<
    { rule: string; state: string; evaluated_at: Date }[]
  >`select rule, state, evaluated_at from alert_state order by rule`;
  return rows.map((row) => {
    // Written by the evaluator and by nothing else.
    const stored = JSON.parse(row.state) as Pick<StoredRule, 'groups'> & { readonly instances: StoredRule['state']['instances'] };
    return {
      rule: row.rule,
      evaluatedAtMs: row.evaluated_at.getTime(),
      instances: Object.values(stored.instances),
      groups: Object.values(stored.groups),
    };
  });
}

export interface AlertEventItem {
  readonly at: string;
  readonly type: string;
  readonly rule: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly detail: string | null;
}

/** What happened to alerts lately, newest first. */
export async function queryAlertEvents(sql: Sql, rule: string | null, limit: number): Promise<AlertEventItem[]> {
  const rows = await sql<{ at: Date; type: string; rule: string; labels: string; detail: string | null }[]>`
    select at, type, rule, labels, detail from alert_event
    where ${rule === null ? sql`true` : sql`rule = ${rule}`} order by seq desc limit ${limit}`;
  return rows.map((row) => ({ ...row, at: row.at.toISOString(), labels: JSON.parse(row.labels) as Record<string, string> }));
}

export interface EndpointStanding {
  readonly name: string;
  readonly failures: number;
  readonly notBefore: string | null;
  readonly disabledReason: string | null;
}

/** How the channels fare: pauses, failures in a row, and whether one is disabled. */
export async function queryEndpoints(sql: Sql): Promise<ReadonlyMap<string, EndpointStanding>> {
  const rows = await sql<{ name: string; failures: number; not_before: Date | null; disabled_reason: string | null }[]>`
    select name, failures, not_before, disabled_reason from alert_endpoint`;
  return new Map(
    rows.map((row) => [
      row.name,
      { name: row.name, failures: row.failures, notBefore: row.not_before?.toISOString() ?? null, disabledReason: row.disabled_reason },
    ]),
  );
}
