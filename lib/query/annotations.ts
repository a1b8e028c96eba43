import { ANNOTATION_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { namesList } from '@/lib/query/names-list';
import { ANNOTATION_KINDS, type AnnotationKind } from '@/lib/rollup/annotations';
import { HOUR_MS, MINUTE_MS } from '@/lib/rollup/increments';
import type { Period } from '@/lib/rollup/period-parts';
import type { Annotations } from '@/lib/wire/annotation-responses';

type Annotation = Annotations['items'][number];

/** Steps, deploys, switches and incidents that one answer names, each; the newest where there are more. */
const EACH_MAX = 500;
/** Servers that one annotation names. */
const NAMED_MAX = 3;

/** Changes of the installation that stand beside the attempts. */
const CHANGES = {
  'deploy.noted': 'deploy',
  'proxy.mode_switched': 'proxy_mode',
  'proxy.breaker_tripped': 'proxy_mode',
} as const satisfies Record<string, Annotation['kind']>;

/**
 * What happened beside the attempts of a period, oldest first: boots, changes of generation and evictions added up
 * by step, deploys and switches of proxy routes as they were noted, and incidents with their length.
 *
 * @param servers names; null for all, then switches of proxy routes too, which belong to no server
 */
export async function queryAnnotations(
  sql: Sql,
  period: Period & { readonly servers: readonly string[] | null },
  stepS: number,
): Promise<Annotations> {
  const found = await Promise.all([querySteps(sql, period, stepS), queryChanges(sql, period), queryIncidents(sql, period)]);
  return {
    from: new Date(period.fromMs).toISOString(),
    to: new Date(period.toMs).toISOString(),
    step_s: stepS,
    items: found.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
  };
}

type Scope = Period & { readonly servers: readonly string[] | null };

const KIND_OF_CODE = new Map(ANNOTATION_KINDS.map((kind) => [ANNOTATION_CODES[kind], kind]));

/** A kind at a time, so that the key serves the bounds of each; the last step of the period may begin within it. */
async function querySteps(sql: Sql, scope: Scope, stepS: number): Promise<Annotation[]> {
  return (await Promise.all(ANNOTATION_KINDS.map((kind) => queryKind(sql, scope, stepS, kind)))).flat();
}

async function queryKind(sql: Sql, { fromMs, toMs, servers }: Scope, stepS: number, kind: AnnotationKind): Promise<Annotation[]> {
  const isHour = (stepS * 1_000) % HOUR_MS === 0;
  const unitMs = isHour ? HOUR_MS : MINUTE_MS;
  const of = servers === null ? sql`true` : sql`a.server_id in (select id from server where name in ${namesList(sql, servers)})`;
  const rows = await sql<{ step: Date; kind: number; count: string; servers: number; named: string[] }[]>`
    with per_server as (
      select date_bin(make_interval(secs => ${stepS}), a.bucket, 'epoch'::timestamptz) as step, a.server_id, sum(a.count) as count
      from annotation a
      where a.is_hour = ${isHour} and a.kind = ${ANNOTATION_CODES[kind]}::smallint
        and a.bucket >= ${new Date(Math.floor(fromMs / unitMs) * unitMs)} and a.bucket < ${new Date(toMs)} and ${of}
      group by 1, 2),
    steps as (
      select step, sum(count)::text as count, count(*)::int as servers,
        (array_agg(server_id order by count desc, server_id))[1:${sql.unsafe(String(NAMED_MAX))}] as ids
      from per_server group by 1 order by 1 desc limit ${EACH_MAX})
    select step, ${ANNOTATION_CODES[kind]}::int as kind, count, servers,
      to_json(array(select s.name from unnest(ids) with ordinality as i (id, place) join server s on s.id = i.id order by i.place)) as named
    from steps`;
  return rows.map((row) => ({
    at: row.step.toISOString(),
    until: null,
    kind: KIND_OF_CODE.get(row.kind) ?? kind,
    count: Number(row.count),
    servers: row.named,
    servers_total: row.servers,
    label: null,
    incident: null,
  }));
}

async function queryChanges(sql: Sql, { fromMs, toMs, servers }: Scope): Promise<Annotation[]> {
  const rows = await sql<{ at: Date; action: keyof typeof CHANGES; subject: string; after: string | null }[]>`
    select at, action, subject, after from change_log
    where action in ${sql(Object.keys(CHANGES))} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
      and ${servers === null ? sql`true` : sql`action = 'deploy.noted' and subject in ${namesList(sql, servers)}`}
    order by seq desc limit ${EACH_MAX}`;
  return rows.map(({ at, action, subject, after }) => ({
    at: at.toISOString(),
    until: null,
    kind: CHANGES[action],
    count: 1,
    servers: CHANGES[action] === 'deploy' ? [subject] : [],
    servers_total: CHANGES[action] === 'deploy' ? 1 : 0,
    label: CHANGES[action] === 'deploy' ? versionOf(after) : `${subject} → ${settingOf(after)}`,
    incident: null,
  }));
}

/** `after` is JSON that this product wrote. */
function versionOf(after: string | null): string | null {
  const value: unknown = after === null ? null : JSON.parse(after);
  return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string' ? value.version : null;
}

/** What a route was switched to: `enforce`, `canary 25 %`. */
function settingOf(after: string | null): string {
  const value: unknown = after === null ? null : JSON.parse(after);
  if (typeof value !== 'object' || value === null || !('mode' in value) || typeof value.mode !== 'string') return 'changed';
  return value.mode === 'canary' && 'canary_percent' in value ? `canary ${value.canary_percent} %` : value.mode;
}

async function queryIncidents(sql: Sql, { fromMs, toMs, servers }: Scope): Promise<Annotation[]> {
  const rows = await sql<{ id: string; server: string; title: string; cause: string | null; opened_at: Date; last_evidence_at: Date }[]>`
    select id, server, title, cause, opened_at, last_evidence_at from incident
    where merged_into is null and key is not null and opened_at < ${new Date(toMs)} and last_evidence_at >= ${new Date(fromMs)}
      and ${servers === null ? sql`true` : sql`server in ${namesList(sql, servers)}`}
    order by opened_at desc limit ${EACH_MAX}`;
  return rows.map((row) => ({
    at: new Date(Math.max(row.opened_at.getTime(), fromMs)).toISOString(),
    until: row.last_evidence_at.toISOString(),
    kind: row.cause === 'reconnect_storm' ? 'storm' : 'incident',
    count: 1,
    servers: [row.server],
    servers_total: 1,
    label: row.title,
    incident: row.id,
  }));
}
