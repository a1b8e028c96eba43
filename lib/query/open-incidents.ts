import type { Sql } from '@/db/connect';
import { SEVERITIES } from '@/lib/audit/finding';
import type { Cause } from '@/lib/incidents/incident';
import { decodeIncident } from '@/lib/incidents/text';
import { incidentNextStep } from '@/lib/incidents/words';
import { namesList } from '@/lib/query/names-list';
import type { LossIncident, Summary } from '@/lib/wire/responses';

type OpenIncidents = Pick<Summary, 'open_incidents' | 'worst_incident'>;
type Worst = NonNullable<OpenIncidents['worst_incident']>;

/** Causes that unsafe resumes speak for. */
const LOSS_CAUSES: readonly Cause[] = ['skipped_events', 'former_generation', 'unknown_cursor', 'cross_session_replay'];

interface WorstRow {
  readonly id: string;
  readonly title: string;
  readonly server: string;
  readonly severity: string;
  readonly cause: string | null;
  readonly machine: string | null;
}

/** How many incidents are open, over all servers or some, and where to look first. */
export async function queryOpenIncidents(sql: Sql, servers: readonly string[] | null): Promise<OpenIncidents> {
  const isOpen = sql`i.state = 'open' and ${servers === null ? sql`true` : sql`i.server in ${namesList(sql, servers)}`}`;
  const severity = sql`coalesce(i.own_severity, i.severity)`;
  const [[counted], [worst]] = await Promise.all([
    sql<{ incidents: number }[]>`select count(*)::int as incidents from incident i where ${isOpen}`,
    sql<WorstRow[]>`
      select i.id, i.title, i.server, ${severity} as severity, i.cause, i.machine from incident i
      where ${isOpen} and i.key is not null and i.merged_into is null
      order by case ${severity} ${ranks(sql)} end desc, i.last_evidence_at desc, i.id limit 1`,
  ]);
  return { open_incidents: counted?.incidents ?? 0, worst_incident: worst === undefined ? null : worstOf(worst) };
}

/** The place of each severity in the order of `SEVERITIES`, as the branches of a `case`. */
function ranks(sql: Sql) {
  return SEVERITIES.map((severity, rank) => sql`when ${severity} then ${rank}::int`).reduce((all, next) => sql`${all} ${next}`);
}

function worstOf({ machine, ...row }: WorstRow): Worst {
  return {
    ...row,
    // The store writes members of these unions only.
    severity: row.severity as Worst['severity'],
    cause: row.cause as Worst['cause'],
    next_step: machine === null ? null : incidentNextStep(decodeIncident(machine)),
  };
}

/** What a left join with `lossIncidents` adds to a row; all null or none. */
export interface LossIncidentRow {
  readonly loss_id: string | null;
  readonly loss_since: Date | null;
  readonly loss_last: Date | null;
}

/**
 * The open incidents that tell of events lost, one row a server, as a fragment that stands for a table: loss_server,
 * loss_id, loss_since, loss_last. One that was opened again counts from then on.
 */
export function lossIncidents(sql: Sql) {
  return sql`(
    select i.server as loss_server, (array_agg(i.id order by o.since, i.id))[1] as loss_id, min(o.since) as loss_since,
      max(i.last_evidence_at) as loss_last
    from incident i cross join lateral (
      select coalesce(max(e.at), i.opened_at) as since from incident_event e where e.incident_id = i.id and e.type = 'reopened') o
    where i.state = 'open' and i.key is not null and i.merged_into is null and i.cause in ${sql([...LOSS_CAUSES])}
    group by 1)`;
}

export function lossIncidentOf({ loss_id, loss_since, loss_last }: LossIncidentRow): LossIncident | null {
  if (loss_id === null || loss_since === null || loss_last === null) return null;
  return { id: loss_id, since: loss_since.toISOString(), last_evidence_at: loss_last.toISOString() };
}
