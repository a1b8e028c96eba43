import type { AuditAnswer, AuditedResume, Finding } from '@/lib/audit/finding';
import { Folder, type Settlement } from '@/lib/audit/folder';
import type { AuditState } from '@/lib/audit/model/state';
import { newAuditState } from '@/lib/audit/model/state';
import { restoreState, snapshotState } from '@/lib/audit/snapshot';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** An audit in progress. Records are given in the order they happened; memory is bounded by what is live. */
export interface Audit {
  /** Takes in one record; `index` is its place in the input and must rise. */
  readonly push: (record: TelemetryRecord, index: number) => void;
  /**
   * Findings proved since the last call, and with them grown ones: a loop that goes on comes again with the
   * same code, session, stream, connection and index, and a higher count.
   */
  readonly drainFindings: () => Finding[];
  /** Judged attempts since the last call; those whose connection is still open come with what is known so far. */
  readonly drainResumes: () => AuditedResume[];
  /** Everything not drained yet, with what the end of the history proves. The audit may go on afterwards. */
  readonly finish: () => AuditAnswer;
  /**
   * What the silence of a session proves if nothing more comes of it, and attempts whose assessment it changes. `now`
   * is the time by a clock, in epoch milliseconds of the records; null takes the newest record's. The audit goes on
   * afterwards, and a later settlement may no longer say what this one says.
   */
  readonly settleSession: (server: string, session: string | null, now: number | null) => Settlement;
  /** The same for faults that only show across the sessions of a server. */
  readonly settleServer: (server: string, now: number | null) => Finding[];
  /** Forgets a session: what comes of it later is judged as if nothing were known of it. */
  readonly forgetSession: (server: string, session: string | null) => void;
  /** The whole state as JSON text, to go on later or elsewhere with `restoreAudit`. */
  readonly snapshot: () => string;
}

/** Begins an audit with nothing known. */
export const createAudit = (): Audit => auditOf(newAuditState());

/**
 * Goes on from a snapshot.
 *
 * @throws SyntaxError when the text is no snapshot of a version that is known, or is damaged.
 */
export const restoreAudit = (snapshot: string): Audit => auditOf(restoreState(snapshot));

function auditOf(state: AuditState): Audit {
  const folder = new Folder(state);
  return {
    push: (record, index) => folder.push(record, index),
    drainFindings: () => folder.takeFindings(),
    drainResumes: () => folder.takeResumes(),
    finish: () => folder.finish(),
    settleSession: (server, session, now) => folder.settleSession(server, session, now),
    settleServer: (server, now) => folder.settleServer(server, now),
    forgetSession: (server, session) => folder.forgetSession(server, session),
    snapshot: () => snapshotState(state),
  };
}
