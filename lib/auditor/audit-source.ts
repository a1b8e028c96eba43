import type { AuditedResume, Finding } from '@/lib/audit/finding';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { Reason } from '@/lib/resume/types';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** A stored record as it is audited. */
export interface StoredRow {
  /** Its place among all that was stored. */
  readonly place: number;
  /** Epoch milliseconds: its instant as it is filed, and its receipt. */
  readonly atMs: number;
  readonly receivedAtMs: number;
  /** The record; its session is the stored reference, its `at` absent where none was sent that is believed. */
  readonly record: TelemetryRecord;
  /** How an attempt is judged now; null for every other record. */
  readonly judged: { readonly assessment: Assessment; readonly reason: Reason | null } | null;
}

/** A transaction's records of one server that wait to be audited. */
export interface Waiting {
  readonly batch: number;
  readonly records: number;
  /** Bounds of the records' instants, epoch milliseconds. */
  readonly minAtMs: number;
  readonly maxAtMs: number;
  readonly storedAtMs: number;
}

export interface FindingToStore {
  readonly id: string;
  readonly finding: Finding;
  /** Which session's silence it rests on, `SERVER_SCOPE` for the server's; null for a finding that nothing can take back. */
  readonly scope: string | null;
}

/** What a stretch of the audit changes in what is stored. */
export interface Changes {
  readonly findings: readonly FindingToStore[];
  /** Ids of provisional findings that no longer hold. */
  readonly withdrawn: readonly string[];
  /** Attempts with what the history says of them. */
  readonly resumes: readonly AuditedResume[];
}

/** Where the audit of a server stood, handed to whoever goes on with it. */
export interface Standing {
  /** Whoever takes over raises it; writes of an older epoch are refused. */
  readonly epoch: bigint;
  readonly server: string;
  /** Text of `ServerAudit.snapshot`, null at the beginning. */
  readonly state: string | null;
  /** Provisional findings that are stored, but for those that were left standing. */
  readonly provisional: readonly { readonly id: string; readonly scope: string }[];
}

/** Somebody else audits the server now. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/** The state of an audit cannot be read: it is of another version, or damaged. */
export class StateLostError extends Error {
  override readonly name = 'StateLostError';
  readonly code = 'audit_state_lost';
}

/** What the auditor needs of the database. Rejects when it cannot be reached. */
export interface AuditSource {
  /** Transactions of the intake up to this number are settled: committed and visible, or gone for good. */
  readonly settledBatch: () => Promise<number>;
  /** Servers that have something to be audited. */
  readonly serversWaiting: () => Promise<number[]>;
  /** Takes the audit of a server over; null while another process has it. */
  readonly take: (server: number) => Promise<Standing | null>;
  readonly release: (server: number) => Promise<void>;
  /**
   * Leaves the stored provisional findings of a server standing: what they rest on is known no more, so that a silence
   * that no longer proves them disproves nothing. One that is proved anew can be withdrawn again.
   *
   * @throws TakenOverError
   */
  readonly leaveStanding: (server: number, standing: Standing) => Promise<void>;
  /** Whether everything taken is still held. */
  readonly isHolding: () => Promise<boolean>;
  /** What waits with a number above `above` and up to `upTo`, lowest first. */
  readonly waiting: (server: number, above: number, upTo: number, limit: number) => Promise<Waiting[]>;
  /** Records of these batches from a place on, in order. */
  readonly rows: (server: number, batches: readonly Waiting[], fromPlace: number, limit: number) => Promise<StoredRow[]>;
  /**
   * Stores changes in one transaction, and with `checkpoint` the state after them, done with the batches it names.
   * Storing the same changes twice is the same as once.
   *
   * @throws TakenOverError
   */
  readonly store: (server: number, standing: Standing, changes: Changes, checkpoint: Checkpoint | null) => Promise<StoredChanges>;
}

export interface Checkpoint {
  readonly state: string;
  readonly batches: readonly number[];
}

/** What was new. */
export interface StoredChanges {
  readonly newFindings: readonly Finding[];
  readonly rejudged: number;
}
