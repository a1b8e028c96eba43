import type { Tx } from '@/db/transactions';
import type { Finding } from '@/lib/audit/finding';
import { evidenceOfAttempt, evidenceOfFinding } from '@/lib/incidents/evidence';
import { gatherEvidence } from '@/lib/incidents/gather';
import type { Evidence } from '@/lib/incidents/incident';
import { decodeEvidence, encodeEvidence } from '@/lib/incidents/text';
import type { RecordToStore } from '@/lib/store/record-to-store';
import { sqlLiteral } from '@/lib/store/sql-literal';

/** Rows taken at a time: what one look at the incidents has to hold. */
const ROWS_PER_TAKE = 2_000;

/**
 * A statement, with its semicolon, that leaves in the transaction that stores records what they say for incidents. Most
 * groups say nothing: then it is empty.
 */
export function evidenceNote(records: readonly RecordToStore[]): string {
  const evidence = gatherEvidence(records.flatMap((record) => evidenceOf(record) ?? []));
  return evidence.length === 0 ? '' : `insert into pending_evidence (evidence) values (${sqlLiteral(encodeEvidence(evidence))});`;
}

function evidenceOf({ at, server, session, attempt }: RecordToStore): Evidence | null {
  if (attempt === null) return null;
  const { assessment, reason, gapCount } = attempt;
  const decision = reason === null ? null : { reason, gap: gapCount === null ? null : { count: String(gapCount) } };
  return evidenceOfAttempt({ at, server, session, assessment, decision });
}

/** Takes evidence that was left since; `isAll` false says that there is more. For the holder of the incidents' lock. */
export async function takeEvidence(tx: Tx): Promise<{ readonly evidence: Evidence[]; readonly isAll: boolean }> {
  const { rows } = await tx.query<{ evidence: string }>(
    `delete from pending_evidence where seq in (select seq from pending_evidence order by seq limit ${ROWS_PER_TAKE}) returning evidence`,
  );
  const ofFindings = await takeFindings(tx);
  return {
    evidence: gatherEvidence([...rows.flatMap(({ evidence }) => decodeEvidence(evidence)), ...ofFindings.evidence]),
    isAll: rows.length < ROWS_PER_TAKE && ofFindings.isAll,
  };
}

interface FindingRow {
  readonly id: string;
  readonly at: Date;
  readonly changed_at: Date;
  readonly session_ref: string | null;
  readonly server: string;
  readonly count: string;
  readonly counted: string | null;
  readonly body: string;
}

/** Findings that were proved or grew. What was counted before is not counted again. */
async function takeFindings(tx: Tx): Promise<{ evidence: Evidence[]; isAll: boolean }> {
  const taken = await tx.query<{ finding_id: string }>(
    `delete from pending_finding where seq in (select seq from pending_finding order by seq limit ${ROWS_PER_TAKE}) returning finding_id`,
  );
  if (taken.rows.length === 0) return { evidence: [], isAll: true };
  const ids = [...new Set(taken.rows.map(({ finding_id }) => finding_id))];
  const { rows } = await tx.query<FindingRow>(
    `select f.id, f.at, f.changed_at, f.session_ref, s.name as server, f.count::text, c.count::text as counted, f.body
     from finding f join server s on s.id = f.server_id left join counted_finding c on c.finding_id = f.id
     where f.id = any($1)`,
    [ids],
  );
  await tx.query(
    `insert into counted_finding (finding_id, count) select id, count from finding where id = any($1)
     on conflict (finding_id) do update set count = excluded.count`,
    [ids],
  );
  return { evidence: rows.flatMap((row) => evidenceOfRow(row) ?? []), isAll: taken.rows.length < ROWS_PER_TAKE };
}

function evidenceOfRow(row: FindingRow): Evidence | null {
  // Written by the auditor and by nothing else.
  const finding = JSON.parse(row.body) as Finding;
  const grown = BigInt(row.count) - BigInt(row.counted ?? 0);
  if (grown <= 0n && row.counted !== null) return null;
  const session = row.session_ref === null ? null : row.session_ref.replaceAll('-', '');
  const at = row.counted === null ? row.at : row.changed_at;
  const evidence = evidenceOfFinding({ ...finding, server: row.server, count: String(grown) }, session, at.getTime());
  return evidence === null || row.counted === null ? evidence : { ...evidence, finding: null };
}
