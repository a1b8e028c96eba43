import type { Transactions } from '@/db/transactions';
import { copyInto } from '@/lib/store/copy-into';
import { copyField } from '@/lib/store/copy-text';

/** An imported history, read and laid out. */
export interface IncidentToImport {
  readonly id: string;
  readonly importedAt: number;
  readonly server: string;
  readonly cause: string | null;
  readonly title: string;
  readonly state: string;
  readonly severity: string;
  /** Epoch milliseconds; null when nothing in the history tells. */
  readonly openedAt: number | null;
  readonly lastEvidenceAt: number | null;
  readonly machine: string | null;
  readonly content: string;
  readonly findings: string;
  /** References, in order of appearance. */
  readonly sessions: readonly string[];
  readonly records: readonly { readonly session: string | null; readonly body: string }[];
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Stores an imported incident with all of its records in one transaction: all of it or nothing. */
export function importIncident(transactions: Transactions, incident: IncidentToImport, actor: string): Promise<void> {
  return transactions.run(async (tx) => {
    const openedAt = new Date(incident.openedAt ?? incident.importedAt);
    await tx.query(
      `insert into incident (id, key, is_current, server, cause, title, state, severity, opened_at, last_evidence_at, settled_at, machine, content, findings, records)
       values ($1, null, false, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        incident.id,
        incident.server,
        incident.cause,
        incident.title,
        incident.state,
        incident.severity,
        openedAt,
        incident.lastEvidenceAt === null ? openedAt : new Date(incident.lastEvidenceAt),
        incident.state === 'open' ? null : new Date(incident.importedAt),
        incident.machine,
        incident.content,
        incident.findings,
        incident.records.length,
      ],
    );
    await copyInto(tx, { table: 'incident_session', columns: 'incident_id, session_ref, place', rows: { lines: sessionLines(incident) } });
    const columns = 'incident_id, place, record_id, session_ref, body';
    await copyInto(tx, { table: 'incident_record', columns, rows: { lines: recordLines(incident) } });
    await tx.query(`insert into incident_event (incident_id, at, type, actor, detail) values ($1, $2, 'imported', $3, '{}')`, [
      incident.id,
      new Date(incident.importedAt),
      actor,
    ]);
  });
}

function* sessionLines({ id, sessions }: IncidentToImport): Generator<string> {
  for (const [place, session] of sessions.entries()) yield `${id}\t${session}\t${place}\n`;
}

function* recordLines({ id, records }: IncidentToImport): Generator<string> {
  for (const [place, { session, body }] of records.entries()) {
    yield `${id}\t${place}\t${NO_ID}\t${copyField(session)}\t${copyField(body)}\n`;
  }
}
