import { createHash } from 'node:crypto';
import type { Sql } from '@/db/connect';
import type { Bundle, BundleHashes } from '@/lib/bundle/bundle';
import { exportBundle } from '@/lib/bundle/export-bundle';
import { generateTest } from '@/lib/bundle/generate-test';
import { reportOf } from '@/lib/bundle/report';
import { drivePlan } from '@/lib/drive/plan';
import { HttpError } from '@/lib/http/http-error';
import { bundleIncident } from '@/lib/query/bundle-incident';
import { queryAllPinnedRecords } from '@/lib/query/incident-records';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { SessionRefs } from '@/lib/store/session-ref';
import type { TimelineStep } from '@/lib/wire/timeline-responses';
import { auditOf } from '@/server/history/audit-of';
import { auditText } from '@/server/history/audit-text';
import { compareOf } from '@/server/history/compare-of';
import { backtestOf, retentionOf, whatIfOf } from '@/server/history/decide-again';
import type { HistoryJob } from '@/server/history/job';
import { readHistory } from '@/server/history/read-history';
import { SessionDesk } from '@/server/history/session-desk';
import type { IncidentAudit } from '@/server/incident-auditor';

type Tell = (progress: unknown) => void;

interface Opened {
  readonly incident: string;
  readonly revision: bigint;
  readonly steps: readonly TimelineStep[];
}

/** Does the jobs of one thread, one after the other, and remembers the timeline that it folded last. */
export class HistoryDesk {
  readonly #sql: Sql;
  readonly #hashes: BundleHashes;
  readonly #sessions: SessionDesk;
  #opened: Opened | null = null;

  constructor(sql: Sql, secret: Uint8Array) {
    const refs = new SessionRefs(secret);
    this.#sql = sql;
    this.#sessions = new SessionDesk(sql);
    this.#hashes = {
      sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
      sessionRef: (server, token) => refs.refOf(server, token),
    };
  }

  async run(job: HistoryJob, tell: Tell): Promise<unknown> {
    switch (job.type) {
      case 'import':
        return readHistory(job.text, this.#hashes);
      case 'prove':
        return auditText(job.mediaType, job.text);
      case 'audit':
        return this.#audit(job.incident);
      case 'timeline':
        return this.#timeline(job.incident, job.first, job.limit);
      case 'bundle':
        return exportBundle(await this.#incident(job.incident), this.#hashes);
      case 'report':
        return reportOf(await this.#incident(job.incident));
      case 'test':
        return generateTest(await this.#incident(job.incident));
      case 'session_timeline':
        return this.#sessions.timeline(job.session, job.first, job.limit);
      case 'session_records':
        return this.#sessions.records(job.session, job.first, job.limit);
      case 'session_findings':
        return this.#sessions.findings(job.session);
      case 'drive_plan':
        return drivePlan((await this.#incident(job.incident)).records);
      case 'whatif':
        return JSON.stringify(await whatIfOf(this.#sql, job.text, tell));
      case 'retention':
        return JSON.stringify(await retentionOf(this.#sql, job.period));
      case 'backtest':
        return JSON.stringify(await backtestOf(this.#sql, job.period, job.floor));
      case 'compare':
        return JSON.stringify(await compareOf(this.#sql, job.left, job.right, job.align));
    }
  }

  /** The revision is read first: records that are pinned meanwhile ask for another audit. */
  async #audit(incident: string): Promise<IncidentAudit> {
    const revision = await this.#revision(incident);
    const { findings } = auditOf(await queryAllPinnedRecords(this.#sql, incident));
    return { findings: JSON.stringify(findings), revision: String(revision) };
  }

  async #revision(incident: string): Promise<bigint> {
    const [row] = await this.#sql<{ revision: bigint }[]>`select revision from incident where id = ${incident}::uuid`;
    if (row === undefined) throw new HttpError('not_found', 'there is no such incident');
    return row.revision;
  }

  async #timeline(incident: string, first: number, limit: number): Promise<string> {
    const { steps } = await this.#open(incident);
    const next = first + limit < steps.length ? `step-${first + limit}` : null;
    return JSON.stringify({ steps: steps.slice(first, first + limit), next });
  }

  async #open(incident: string): Promise<Opened> {
    const revision = await this.#revision(incident);
    if (this.#opened?.incident === incident && this.#opened.revision === revision) return this.#opened;
    const records = await queryAllPinnedRecords(this.#sql, incident);
    const steps = foldTimeline(records, auditOf(records).findings);
    this.#opened = { incident, revision, steps };
    return this.#opened;
  }

  async #incident(id: string): Promise<Bundle> {
    const incident = await bundleIncident(this.#sql, id);
    if (incident === null) throw new HttpError('not_found', 'there is no such incident');
    return { incident, records: await queryAllPinnedRecords(this.#sql, id) };
  }
}
