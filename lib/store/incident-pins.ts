import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Tx } from '@/db/transactions';

/** Sessions of an incident whose records are pinned; all are named. */
const SESSIONS_PINNED_MAX = 200;
/** Records that an incident pins: as many as a bundle may hold, less room for the boots between them. */
const RECORDS_PINNED_MAX = 190_000;
const BOOTS_PINNED_MAX = 10_000;
/** What one statement pins at most. */
const SESSIONS_PER_RUN = 10;
const RECORDS_PER_SESSION = 10_000;
/** Transactions of the intake may end in another order than they began: looked back by this much, in microseconds. */
const LATE_US = 60_000_000;

/**
 * Copies records of sessions that incidents name and that are not pinned yet, up to a bound; true when there may be
 * more. Counts of a session's records come from the same snapshot as the records, so that none is taken for pinned
 * that was not seen.
 */
export async function pinEvidence(tx: Tx): Promise<boolean> {
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
  if (changed.length > 0) await pinBoots(tx, changed);
  return (rows[0]?.sessions ?? 0) > 0;
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
