import type { Sql } from '@/db/connect';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import { ofServers } from '@/lib/query/attempt-filter';
import type { Summary } from '@/lib/wire/responses';

type Presence = Pick<Summary, 'servers_seen' | 'servers_known' | 'silent' | 'last_record_at' | 'records_total'>;

const SILENT_MAX = 3;

/**
 * Which servers of a filter were heard of in its period and which were not, and what was ever heard of them. A server
 * of an archived project that is silent is no news.
 */
export async function queryPresence(sql: Sql, filter: PeriodFilter): Promise<Presence> {
  const [from, to] = [new Date(filter.fromMs), new Date(filter.toMs)];
  const known = sql`
    server_activity v join server s on s.id = v.server_id join project p on p.id = s.project_id where ${ofServers(sql, filter, 'v')}`;
  const isSilent = sql`v.last_at < ${from} and p.archived_at is null`;
  const [[row], silent] = await Promise.all([
    sql<{ seen: number; known: number; last: Date | null; records: bigint }[]>`
      select count(*) filter (where v.first_at < ${to} and v.last_at >= ${from})::int as seen,
        count(*) filter (where v.first_at < ${to} and (v.last_at >= ${from} or ${isSilent}))::int as known,
        max(v.last_at) as last, coalesce(sum(v.records), 0)::bigint as records
      from ${known}`,
    sql<{ server: string; last: Date }[]>`
      select s.name as server, v.last_at as last from ${known} and ${isSilent}
      order by v.last_at desc, s.name limit ${SILENT_MAX}`,
  ]);
  return {
    servers_seen: row?.seen ?? 0,
    servers_known: row?.known ?? 0,
    silent: silent.map(({ server, last }) => ({ server, last_seen_at: last.toISOString() })),
    last_record_at: row?.last?.toISOString() ?? null,
    records_total: Number(row?.records ?? 0),
  };
}
