import type { Sql } from '@/db/connect';
import type { LossFacts } from '@/lib/alerting/notification';
import type { Cause } from '@/lib/incidents/incident';

/** The newest open incident of a server that is about one of the causes; null when there is none. */
export async function openIncident(sql: Sql, server: string, causes: readonly Cause[]): Promise<LossFacts['incident']> {
  if (causes.length === 0) return null;
  const [row] = await sql<{ id: string; title: string }[]>`
    select id, title from incident
    where server = ${server} and state = 'open' and is_current and cause in ${sql([...causes])}
    order by opened_at desc, id limit 1`;
  return row ?? null;
}
