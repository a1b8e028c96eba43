import type { Tx } from '@/db/transactions';
import { HOUR_MS, type Increments } from '@/lib/rollup/increments';

/**
 * Counts the hours in which sessions newly had an attempt, or an unsafe resume, before `session_hour` learns of
 * them. An hour that lies between two known ones also moves the later one's `before`. The caller has locked the
 * rows of these sessions, so that no other process counts the same session at once.
 */
export async function countSessions(tx: Tx, { sessions }: Increments): Promise<void> {
  const rows = [...sessions].flatMap(([ref, { server, hours }]) =>
    hours.map(({ hour, unsafe }) => ({ hour: new Date(hour * HOUR_MS).toISOString(), server, ref, unsafe })),
  );
  if (rows.length === 0) return;
  await addCounts(tx, false, rows);
  const unsafe = rows.filter((row) => row.unsafe > 0);
  if (unsafe.length > 0) await addCounts(tx, true, unsafe);
}

async function addCounts(
  tx: Tx,
  isUnsafe: boolean,
  rows: readonly { readonly hour: string; readonly server: number; readonly ref: string }[],
): Promise<void> {
  const counted = isUnsafe ? 'h.unsafe > 0' : 'true';
  await tx.query({
    name: `count ${isUnsafe ? 'unsafe' : 'all'} sessions`,
    text: `
      with fresh as (
          select g.* from unnest($1::timestamptz[], $2::int[], $3::uuid[]) as g (hour, server_id, session_ref)
          where not exists (select from session_hour h
            where h.hour = g.hour and h.server_id = g.server_id and h.session_ref = g.session_ref and ${counted})),
        known as (
          select h.hour, h.server_id, h.session_ref from session_hour h
          where h.session_ref in (select session_ref from fresh) and ${counted}),
        counts as (
          select hour, server_id, coalesce(lag(hour) over (partition by session_ref order by hour), '-infinity') as before, 1 as n
          from (select * from known union all select * from fresh) every
          union all
          select hour, server_id, coalesce(lag(hour) over (partition by session_ref order by hour), '-infinity'), -1 from known)
      insert into session_count as t (hour, server_id, is_unsafe, before, sessions)
      select hour, server_id, ${isUnsafe}, before, sum(n) from counts group by 1, 2, 4 having sum(n) <> 0 order by 1, 2, 4
      on conflict (is_unsafe, hour, server_id, before) do update set sessions = t.sessions + excluded.sessions`,
    values: [rows.map(({ hour }) => hour), rows.map(({ server }) => server), rows.map(({ ref }) => ref)],
  });
}
