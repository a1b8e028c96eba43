import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Tx } from '@/db/transactions';

/** Sessions of an incident whose records are pinned; all are named. */
const SESSIONS_PINNED_MAX = 200;
/** Records that an incident pins: as many as a bundle may hold, less room for the boots between them. */
const RECORDS_PINNED_MAX = 190_000;
const BOOTS_PINNED_MAX = 10_000;
/** What one statement pins at most. */
const SESSIONS_PER_RUN = 10;
const INCIDENTS_PER_RUN = 10;
const RECORDS_PER_SESSION = 10_000;
/** How long before the first evidence, and after the last, records that name no session belong to an incident. */
const BEFORE_FIRST = '1 hour';
const AFTER_LAST = '1 minute';
/** Transactions of the intake may end in another order than they began: looked back by this much, in microseconds. */
const LATE_US = 60_000_000;

/**
 * Copies records of sessions that incidents name and that are not pinned yet, up to a bound; true when there may be
 * more. Counts of a session's records come from the same snapshot as the records, so that none is taken for pinned
 * that was not seen. `unnamedOf` tells which session a server's records without any are of.
 */
export async function pinEvidence(tx: Tx, unnamedOf: (server: string) => string): Promise<boolean> {
  const { rows } = await tx.query<{ id: string | null; sessions: number; is_partial: boolean }>(
    `with wanted as materialized (
       select s.incident_id, s.session_ref, x.records, i.records as held,
         coalesce((select max(r.place) from incident_record r where r.incident_id = i.id and r.session_ref = s.session_ref), 0) - ${LATE_US} as after
       from incident i join incident_session s on s.incident_id = i.id join session x on x.ref = s.session_ref
       where i.is_current and (i.state <> 'resolved' or s.pinned = 0) and s.pinned <> x.records and s.place < ${SESSIONS_PINNED_MAX}
         and i.records < ${RECORDS_PINNED_MAX}
       order by s.incident_id, s.place limit ${SESSIONS_PER_RUN}
     ),
     own as (
       select w.incident_id, w.session_ref, o.arrival, o.id, o.at, o.body from wanted w cross join lateral (
         select a.arrival, a.id, a.at, a.body from attempt a where a.session_ref = w.session_ref and a.arrival > w.after
         union all
         select r.arrival, r.id, r.at, r.body from record r where r.session_ref = w.session_ref and r.arrival > w.after
         order by arrival
       ) o
       where not exists (select from incident_record p where p.incident_id = w.incident_id and p.place = o.arrival and p.record_id = o.id)
     ),
     numbered as (
       select *, row_number() over (partition by incident_id, session_ref order by arrival) as n,
         row_number() over (partition by incident_id order by arrival) as among from own
     ),
     chosen as (
       select n.* from numbered n join wanted w using (incident_id, session_ref)
       where n.n <= ${RECORDS_PER_SESSION} and w.held + n.among <= ${RECORDS_PINNED_MAX}
     ),
     pinned as (
       insert into incident_record (incident_id, place, record_id, at, session_ref, body)
       select incident_id, arrival, id, at, session_ref, body from chosen on conflict do nothing returning incident_id
     ),
     noted as (
       update incident_session s set pinned = w.records from wanted w
       where s.incident_id = w.incident_id and s.session_ref = w.session_ref
         and (select count(*) from numbered n where n.incident_id = w.incident_id and n.session_ref = w.session_ref) <= ${RECORDS_PER_SESSION}
     ),
     changed as (
       update incident i set records = i.records + p.added, revision = i.revision + 1
       from (select incident_id, count(*)::int as added from pinned group by 1) p where p.incident_id = i.id returning i.id
     )
     select c.id, (select count(*)::int from wanted) as sessions from (select 1) one left join changed c on true`,
  );
  const changed = rows.flatMap(({ id }) => id ?? []);
  const isMore = (rows[0]?.sessions ?? 0) > 0;
  // Last, since a session's own records are looked for from its newest pinned one on.
  const unnamed = isMore ? NOTHING : await pinUnnamed(tx, unnamedOf);
  if (changed.length + unnamed.changed.length > 0) await pinBoots(tx, [...changed, ...unnamed.changed]);
  return isMore || unnamed.isMore;
}

interface Pinned {
  readonly changed: readonly string[];
  readonly isMore: boolean;
}

const NOTHING: Pinned = { changed: [], isMore: false };

/**
 * Telemetry may name no session at all; the audit then takes what a server sent for one session. An incident that
 * names this session, or none, pins those records as that session's, the newest up to a bound, again with each later
 * evidence.
 */
async function pinUnnamed(tx: Tx, unnamedOf: (server: string) => string): Promise<Pinned> {
  const { rows } = await tx.query<{ id: string; server: string; sessions: string[] }>(
    `select i.id, i.server, array(select replace(n.session_ref::text, '-', '') from incident_session n where n.incident_id = i.id) as sessions
     from incident i where i.is_current and i.unnamed_until is distinct from i.last_evidence_at order by i.id limit ${INCIDENTS_PER_RUN}`,
  );
  const wanted = rows.map(({ id, server, sessions }) => ({ id, server, ref: unnamedOf(server), sessions }));
  const own = wanted.filter(({ ref, sessions }) => sessions.length === 0 || sessions.includes(ref));
  const { rows: changed } = await tx.query<{ id: string }>(
    `with own as materialized (
       select i.id, g.ref, s.id as server_id, i.opened_at - interval '${BEFORE_FIRST}' as first, i.last_evidence_at + interval '${AFTER_LAST}' as last
       from unnest($1::uuid[], $2::uuid[]) as g (id, ref) join incident i on i.id = g.id join server s on s.name = i.server
       where i.records < ${RECORDS_PINNED_MAX}
     ),
     pinned as (
       insert into incident_record (incident_id, place, record_id, at, session_ref, body)
       select w.id, o.arrival, o.id, o.at, w.ref, o.body from own w cross join lateral (
         select a.arrival, a.id, a.at, a.body from attempt a
         where a.session_ref is null and a.server_id = w.server_id and a.at between w.first and w.last
         union all
         select r.arrival, r.id, r.at, r.body from record r
         where r.session_ref is null and r.server_id = w.server_id and r.type <> $3 and r.at between w.first and w.last
         order by arrival desc limit ${RECORDS_PER_SESSION}
       ) o
       where position('"session":null' in o.body) = 0
       on conflict do nothing returning incident_id
     )
     update incident i set records = i.records + p.added, revision = i.revision + 1
     from (select incident_id, count(*)::int as added from pinned group by 1) p where p.incident_id = i.id returning i.id`,
    [own.map(({ id }) => id), own.map(({ ref }) => ref), RECORD_TYPE_CODES.boot],
  );
  await tx.query('update incident set unnamed_until = last_evidence_at where id = any($1::uuid[])', [wanted.map(({ id }) => id)]);
  return { changed: changed.map(({ id }) => id), isMore: rows.length === INCIDENTS_PER_RUN };
}

/** A boot may renumber a session: those of the server from the last one before an incident's first record on. */
async function pinBoots(tx: Tx, incidents: readonly string[]): Promise<void> {
  await tx.query(
    `with span as (
       select i.id, s.id as server_id, min(r.place) as first, max(r.place) as last
       from incident i join incident_record r on r.incident_id = i.id join server s on s.name = i.server
       where i.id = any($1) group by 1, 2
     ),
     pinned as (
       insert into incident_record (incident_id, place, record_id, at, session_ref, body)
       select p.id, b.arrival, b.id, b.at, null, b.body
       from span p cross join lateral (
         select r.arrival, r.id, r.at, r.body from record r
         where r.session_ref is null and r.server_id = p.server_id and r.type = $2 and r.arrival <= p.last
           and r.arrival >= coalesce(
             (select max(e.arrival) from record e
              where e.session_ref is null and e.server_id = p.server_id and e.type = $2 and e.arrival < p.first), p.first)
         order by r.arrival limit ${BOOTS_PINNED_MAX}
       ) b
       on conflict do nothing returning incident_id
     )
     update incident i set records = i.records + p.added
     from (select incident_id, count(*)::int as added from pinned group by 1) p where p.incident_id = i.id`,
    [incidents, RECORD_TYPE_CODES.boot],
  );
}

/** Moves the evidence of some sessions, with copies of the boots, or with no sessions given all of it. */
export async function moveEvidence(tx: Tx, from: string, to: string, sessions: readonly string[] | null): Promise<void> {
  await tx.query(
    `insert into incident_record (incident_id, place, record_id, at, session_ref, body)
     select $2, place, record_id, at, session_ref, body from incident_record
     where incident_id = $1 and ($3::uuid[] is null or session_ref is null or session_ref = any($3))
     on conflict do nothing`,
    [from, to, sessions],
  );
  await tx.query('delete from incident_record where incident_id = $1 and ($2::uuid[] is null or session_ref = any($2))', [from, sessions]);
  await tx.query('delete from incident_session where incident_id = $1 and ($2::uuid[] is null or session_ref = any($2))', [from, sessions]);
  await tx.query(
    `update incident i set revision = revision + 1,
       records = (select count(*)::int from incident_record r where r.incident_id = i.id)
     where id = any($1)`,
    [[from, to]],
  );
}
