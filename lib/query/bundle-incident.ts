import type { Sql } from '@/db/connect';
import type { BundleIncident } from '@/lib/bundle/bundle';
import { queryIncident } from '@/lib/query/incidents';

/**
 * What a bundle says of an incident: an imported one says what it said when it came, a detected one what is known
 * of it. Null when there is none of that id.
 */
export async function bundleIncident(sql: Sql, id: string): Promise<BundleIncident | null> {
  const [row] = await sql<{ content: string | null }[]>`select content from incident where id = ${id}::uuid`;
  if (row === undefined) return null;
  // Written by the import, after its check, and by edits of members that it checked as well.
  if (row.content !== null) return JSON.parse(row.content) as BundleIncident;
  const incident = await queryIncident(sql, id);
  if (incident === null) return null;
  const { title, server, cause, severity, state, opened_at, last_evidence_at, sentence, toll, sessions, findings, consequences } = incident;
  const told = {
    title,
    server,
    cause,
    severity,
    state,
    opened_at,
    last_evidence_at,
    sentence,
    toll,
    sessions,
    findings,
    consequences,
  };
  return told;
}
