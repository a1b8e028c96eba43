import { blameOfCode, findingCodeOfCode, severityOfCode } from '@/db/codes';
import type { Sql } from '@/db/connect';
import type { FindingDetail, FindingFacets, FindingPage, StoredFinding } from '@/lib/audit/answer-schema';
import type { Finding } from '@/lib/audit/finding';
import { proveFinding } from '@/lib/audit/proof';
import { refOfUuid } from '@/lib/query/attempt-item';
import { queryCitedRecords } from '@/lib/query/cited-records';
import { type FindingFilter, findingConditions } from '@/lib/query/finding-filter';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';
import { sessionLabel } from '@/lib/store/session-ref';
import type { FindingCounts } from '@/lib/wire/responses';

interface FindingRow {
  readonly id: string;
  readonly at: Date;
  readonly known_at: Date;
  readonly changed_at: Date;
  readonly server_id: number;
  readonly session_ref: string | null;
  readonly is_provisional: boolean;
  readonly body: string;
}

/** A page of findings, newest first; `next` leads to the page after it, null at the end. */
export async function queryFindings(sql: Sql, filter: FindingFilter, limit: number, after: PageCursor | null): Promise<FindingPage> {
  const place = after === null ? sql`true` : sql`(f.at, f.id) < (${new Date(after.atMs)}, ${after.id}::uuid)`;
  const rows = await sql<FindingRow[]>`
    select ${columns(sql)} from finding f
    where ${findingConditions(sql, filter)} and ${place}
    order by f.at desc, f.id desc
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.at.getTime(), id: last.id }) : null;
  return { items: page.map(storedFinding), next };
}

/** One finding with its proof and the records it cites, null when there is none of that id. */
export async function queryFinding(sql: Sql, id: string): Promise<FindingDetail | null> {
  const [row] = await sql<FindingRow[]>`select ${columns(sql)} from finding f where f.id = ${id}::uuid`;
  if (row === undefined) return null;
  const finding = storedFinding(row);
  const proof = proveFinding(findingOf(row));
  return {
    finding,
    proof: {
      first_illegal: proof.firstIllegal,
      clause: proof.clause,
      sentence: proof.sentence,
      smallest_change: proof.smallestChange,
    },
    records: await queryCitedRecords(sql, row.server_id, [...new Set([finding.index, ...finding.records])]),
  };
}

/** How many findings the filter lets through, by code and severity. */
export async function queryFindingCounts(sql: Sql, filter: FindingFilter): Promise<FindingCounts> {
  const { total, codes, severities } = await queryFindingFacets(sql, filter);
  return { total, codes, severities };
}

/** How many findings the filter lets through, by everything that a list of them can be narrowed by. */
export async function queryFindingFacets(sql: Sql, filter: FindingFilter): Promise<FindingFacets> {
  const rows = await sql<{ code: number; severity: number; blame: number; server: string; findings: number }[]>`
    select f.code::int, f.severity::int, f.blame::int, s.name as server, count(*)::int as findings
    from finding f join server s on s.id = f.server_id
    where ${findingConditions(sql, filter)}
    group by 1, 2, 3, 4`;
  const facets = { codes: new Map<string, number>(), severities: new Map<string, number>(), blames: new Map<string, number>() };
  const servers = new Map<string, number>();
  let total = 0;
  for (const row of rows) {
    total += row.findings;
    count(facets.codes, findingCodeOfCode(row.code), row.findings);
    count(facets.severities, severityOfCode(row.severity), row.findings);
    count(facets.blames, blameOfCode(row.blame), row.findings);
    count(servers, row.server, row.findings);
  }
  return {
    total,
    codes: mostFirst(facets.codes),
    severities: mostFirst(facets.severities),
    blames: mostFirst(facets.blames),
    servers: Object.entries(mostFirst(servers)).map(([server, findings]) => ({ server, findings })),
  };
}

function count(counts: Map<string, number>, key: string, findings: number): void {
  counts.set(key, (counts.get(key) ?? 0) + findings);
}

function mostFirst(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

const columns = (sql: Sql) => sql`f.id, f.at, f.known_at, f.changed_at, f.server_id, f.session_ref, f.is_provisional, f.body`;

function findingOf(row: Pick<FindingRow, 'body'>): Finding {
  // Written by the auditor and by nothing else; the scope of a provisional finding is its own affair.
  const { scope: _scope, ...finding } = JSON.parse(row.body) as Finding & { scope?: string };
  return finding;
}

function storedFinding(row: FindingRow): StoredFinding {
  const finding = findingOf(row);
  return {
    ...finding,
    records: [...finding.records],
    consequences: [...finding.consequences],
    id: row.id,
    at: row.at.toISOString(),
    known_at: row.known_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
    session_label: row.session_ref === null ? null : sessionLabel(refOfUuid(row.session_ref)),
    is_provisional: row.is_provisional,
  };
}
