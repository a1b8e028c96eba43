import type { Sql } from '@/db/connect';
import type { Rule } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';

/** Sets of labels and stretches that one reading returns. */
const ROWS_MAX = 20_000;
/** A batch may overtake the one before it on its way: what is missing for less than this is not told. */
const SETTLED_MS = 30_000;

/**
 * What became known to be missing from `fromMs` (inclusive) to `toMs`, half a minute late, in stretches of `stepMs`:
 * records that were dropped or rejected, and one for each batch that never came. A loss counts for the server that it is about, or for
 * every one that its producer has sent records of for its project; it has no other labels.
 */
export async function blindBuckets(
  sql: Sql,
  rule: Pick<Rule, 'filter' | 'groupBy'>,
  fromMs: number,
  toMs: number,
  stepMs: number,
): Promise<Bucket[]> {
  const { server: servers, ...others } = rule.filter;
  // What a loss does not have is empty text: only a filter that wants exactly that lets it pass.
  if (Object.values(others).some((values) => !values.includes(''))) return [];
  const isByServer = rule.groupBy.includes('server') || servers !== undefined;
  const server = isByServer ? sql`coalesce(s.name, '')` : sql`''`;
  const joins = isByServer
    ? sql`
        left join producer_server p on l.server_id = 0 and p.project_id = l.project_id and p.producer = l.producer
        left join server s on s.id = coalesce(p.server_id, l.server_id)`
    : sql``;
  const rows = await sql<{ step: number; server: string; count: string; last: Date }[]>`
    select floor((extract(epoch from l.revealed_at) * 1000 + ${SETTLED_MS} - ${fromMs}) / ${stepMs})::int as step, ${server} as server,
      sum(greatest(l.records, l.last - l.first + 1))::text as count, max(l.until) as last
    from telemetry_loss l ${joins}
    where l.revealed_at >= ${new Date(fromMs - SETTLED_MS)} and l.revealed_at < ${new Date(toMs - SETTLED_MS)}
      and ${servers === undefined ? sql`true` : sql`coalesce(s.name, '') in ${sql([...servers])}`}
    group by 1, 2 order by 1 limit ${ROWS_MAX}`;
  return rows.map((row) => ({
    startMs: fromMs + row.step * stepMs,
    labels: Object.fromEntries(rule.groupBy.map((name) => [name, name === 'server' ? row.server : ''])),
    count: Number(row.count),
    attempts: 0,
    leadMin: null,
    lastMs: row.last.getTime(),
  }));
}
