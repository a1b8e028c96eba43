import type { Sql } from '@/db/connect';
import type { HistoryPool } from '@/server/history/history-pool';

/** Incidents audited in one look. */
const PER_LOOK = 20;

/** What the audit of an incident's pinned records says, and which state of them it speaks of. */
export interface IncidentAudit {
  readonly findings: string;
  readonly revision: string;
}

/** Keeps the findings of incidents up with their pinned records. */
export class IncidentAuditor {
  readonly #sql: Sql;
  readonly #pool: HistoryPool;

  constructor(sql: Sql, pool: HistoryPool) {
    this.#sql = sql;
    this.#pool = pool;
  }

  /** Audits incidents whose records changed since their last audit, those that wait longest to be told of first. */
  async auditStale(): Promise<void> {
    const rows = await this.#sql<{ id: string }[]>`
      select id from incident where audited <> revision order by last_evidence_at desc limit ${PER_LOOK}`;
    for (const { id } of rows) {
      const { findings, revision } = (await this.#pool.run({ type: 'audit', incident: id })) as IncidentAudit;
      await this.#sql`
        update incident set findings = ${findings}, audited = ${revision}::bigint where id = ${id}::uuid and audited < ${revision}::bigint`;
    }
  }
}
