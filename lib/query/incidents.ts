import type { Sql } from '@/db/connect';
import type { Finding } from '@/lib/audit/finding';
import type { IncidentDetail, IncidentItem, IncidentLink, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import type { Cause, Incident, IncidentState } from '@/lib/incidents/incident';
import { eventsOf } from '@/lib/incidents/incident';
import { decodeIncident } from '@/lib/incidents/text';
import { NO_TOLL } from '@/lib/incidents/toll';
import { incidentNextStep, incidentSentence } from '@/lib/incidents/words';
import { refOfUuid } from '@/lib/query/attempt-item';
import { encodeCount } from '@/lib/query/measures';
import { namesList } from '@/lib/query/names-list';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';

/** Which incidents a list is about; null does not restrict. */
export interface IncidentFilter {
  readonly states: readonly IncidentState[] | null;
  readonly severities: readonly string[] | null;
  readonly servers: readonly string[] | null;
  /** Session reference. */
  readonly session: string | null;
}

interface IncidentRow {
  readonly id: string;
  readonly key: string | null;
  readonly server: string;
  readonly cause: string | null;
  readonly title: string;
  readonly state: string;
  readonly severity: string;
  readonly own_severity: string | null;
  readonly owner: string | null;
  readonly links: string;
  readonly opened_at: Date;
  readonly last_evidence_at: Date;
  readonly settled_at: Date | null;
  readonly merged_into: string | null;
  readonly machine: string | null;
  readonly records: number;
  readonly sessions: number;
}

/** Consequences that an incident tells; their sum over findings may repeat itself without end. */
const CONSEQUENCES_MAX = 200;
const LOG_MAX = 1_000;

const columns = (sql: Sql) => sql`
  i.id, i.key, i.server, i.cause, i.title, i.state, i.severity, i.own_severity, i.owner, i.links, i.opened_at, i.last_evidence_at,
  i.settled_at, i.merged_into, i.machine, i.records, (select count(*)::int from incident_session s where s.incident_id = i.id) as sessions`;

/** A page of incidents, the last opened first. */
export async function queryIncidents(sql: Sql, filter: IncidentFilter, limit: number, after: PageCursor | null): Promise<IncidentPage> {
  const among = conditions(sql, filter);
  const inState = filter.states === null ? sql`true` : sql`i.state in ${sql([...filter.states])}`;
  const place = after === null ? sql`true` : sql`(i.opened_at, i.id) < (${new Date(after.atMs)}, ${after.id}::uuid)`;
  const [rows, counted] = await Promise.all([
    sql<IncidentRow[]>`
      select ${columns(sql)} from incident i where ${among} and ${inState} and ${place}
      order by i.opened_at desc, i.id desc limit ${limit + 1}`,
    sql<{ state: string; incidents: number }[]>`
      select i.state, count(*)::int as incidents from incident i where ${among} group by 1`,
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const counts = new Map(counted.map(({ state, incidents }) => [state, incidents]));
  return {
    items: page.map(itemOf),
    next: rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.opened_at.getTime(), id: last.id }) : null,
    counts: { open: counts.get('open') ?? 0, quiet: counts.get('quiet') ?? 0, resolved: counts.get('resolved') ?? 0 },
  };
}

function conditions(sql: Sql, { severities, servers, session }: IncidentFilter) {
  const severe = severities === null ? sql`true` : sql`coalesce(i.own_severity, i.severity) in ${sql([...severities])}`;
  const ofServers = servers === null ? sql`true` : sql`i.server in ${namesList(sql, servers)}`;
  const ofSession =
    session === null
      ? sql`true`
      : sql`exists (select from incident_session s where s.incident_id = i.id and s.session_ref = ${session}::uuid)`;
  return sql`${severe} and ${ofServers} and ${ofSession}`;
}

/** One incident, null when there is none of that id. */
export async function queryIncident(sql: Sql, id: string): Promise<IncidentDetail | null> {
  const [row] = await sql<(IncidentRow & { findings: string; is_audited: boolean })[]>`
    select ${columns(sql)}, i.findings, i.audited = i.revision as is_audited from incident i where i.id = ${id}::uuid`;
  if (row === undefined) return null;
  const sessions = await sql<{ session_ref: string }[]>`
    select session_ref from incident_session where incident_id = ${id}::uuid order by place, session_ref`;
  // Written by the audit of this version or an earlier one, and by nothing else.
  const findings = JSON.parse(row.findings) as Finding[];
  const machine = row.machine === null ? null : decodeIncident(row.machine);
  return {
    ...itemOf(row),
    sessions: sessions.map(({ session_ref }) => refOfUuid(session_ref)),
    findings: findings as IncidentDetail['findings'],
    findings_current: row.is_audited,
    consequences: consequencesOf(findings),
    next_step: machine === null ? null : incidentNextStep(machine),
    links: JSON.parse(row.links) as IncidentLink[],
  };
}

/** Everything that happened to an incident, the newest thousand, oldest first. */
export async function queryIncidentLog(sql: Sql, id: string): Promise<IncidentLog> {
  const rows = await sql<{ seq: bigint; at: Date; type: string; actor: string | null; detail: string }[]>`
    select seq, at, type, actor, detail from incident_event where incident_id = ${id}::uuid order by seq desc limit ${LOG_MAX}`;
  return {
    items: rows
      .reverse()
      .map(({ seq, at, type, actor, detail }) => ({ seq: Number(seq), at: at.toISOString(), type, actor, detail: JSON.parse(detail) })),
  };
}

function itemOf(row: IncidentRow): IncidentItem {
  const machine = row.machine === null ? null : decodeIncident(row.machine);
  const toll = machine?.toll ?? NO_TOLL;
  return {
    id: row.id,
    title: row.title,
    // The store writes members of these unions only.
    state: row.state as IncidentState,
    severity: (row.own_severity ?? row.severity) as IncidentItem['severity'],
    server: row.server,
    cause: row.cause as Cause | null,
    origin: row.key === null ? 'imported' : 'detected',
    opened_at: row.opened_at.toISOString(),
    last_evidence_at: row.last_evidence_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
    owner: row.owner,
    sentence: sentenceOf(machine, row),
    toll: {
      attempts: toll.attempts,
      events_lost: encodeCount(eventsOf(toll)),
      events_at_least: toll.eventsAtLeast,
      answers_lost: toll.callsLost,
      calls_doubled: toll.callsDoubled,
    },
    sessions_count: row.sessions,
    sessions_at_least: toll.sessionsAtLeast,
    records: row.records,
    reopened: machine?.reopened ?? 0,
    merged_into: row.merged_into,
  };
}

function sentenceOf(machine: Incident | null, row: IncidentRow): string {
  if (row.merged_into !== null) return 'Merged into another incident, which counts what it counted.';
  return machine === null ? 'Nothing in its records speaks for a fault that an incident is opened for.' : incidentSentence(machine);
}

function consequencesOf(findings: readonly Finding[]): { kind: string; message: string }[] {
  const told = new Map<string, { kind: string; message: string }>();
  for (const { consequences } of findings) {
    for (const { kind, message } of consequences) {
      if (told.size >= CONSEQUENCES_MAX) return [...told.values()];
      told.set(`${kind}\0${message}`, { kind, message });
    }
  }
  return [...told.values()];
}
