import type { Sql } from '@/db/connect';
import { auditSession } from '@/lib/audit/audit-session';
import type { Finding } from '@/lib/audit/finding';
import { HttpError } from '@/lib/http/http-error';
import { querySessionMark, querySessionRecords, SESSION_RECORDS_MAX } from '@/lib/query/session-records';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

interface OpenedSession {
  readonly session: string;
  readonly mark: string;
  readonly records: readonly TelemetryRecord[];
  findings: readonly Finding[] | null;
  steps: readonly TimelineStep[] | null;
}

/** A page of lines, and the place of the next one; null after the last. */
export interface LinesPage {
  readonly text: string;
  readonly next: number | null;
}

/** The records of stored sessions as its thread reads them; remembers the session that was asked for last, so that its pages cost what they hold. */
export class SessionDesk {
  readonly #sql: Sql;
  #opened: OpenedSession | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** JSON text of a page of the session's timeline. @throws HttpError `not_found` */
  async timeline(session: string, first: number, limit: number): Promise<string> {
    const opened = await this.#open(session);
    opened.steps ??= foldTimeline(opened.records, findingsOf(opened));
    const next = first + limit < opened.steps.length ? `step-${first + limit}` : null;
    return JSON.stringify({ steps: opened.steps.slice(first, first + limit), next });
  }

  /** The records as they come, one a line. @throws HttpError `not_found` */
  async records(session: string, first: number, limit: number): Promise<LinesPage> {
    const { records } = await this.#open(session);
    const page = records.slice(first, first + limit);
    return {
      text: page.map((record) => `${JSON.stringify(record)}\n`).join(''),
      next: first + limit < records.length ? first + limit : null,
    };
  }

  /** JSON text of what the records prove. @throws HttpError `not_found` */
  async findings(session: string): Promise<string> {
    const opened = await this.#open(session);
    const { length } = opened.records;
    return JSON.stringify({ items: findingsOf(opened), records: length, is_whole: length < SESSION_RECORDS_MAX });
  }

  async #open(session: string): Promise<OpenedSession> {
    const mark = await querySessionMark(this.#sql, session);
    if (this.#opened?.session === session && this.#opened.mark === mark) return this.#opened;
    const records = await querySessionRecords(this.#sql, session);
    if (records.length === 0) throw new HttpError('not_found', 'no record of this session is stored');
    this.#opened = { session, mark, records, findings: null, steps: null };
    return this.#opened;
  }
}

function findingsOf(opened: OpenedSession): readonly Finding[] {
  opened.findings ??= auditSession(opened.records);
  return opened.findings;
}
