import type { Finding } from '@/lib/audit/finding';
import type { Attempt, Conn, ServerState } from '@/lib/audit/model/types';

/** First proof of a finding that can still grow. */
export interface GrowingFinding {
  index: number;
  conn: string | null;
  records: readonly number[];
}

/** An attempt to be told of, with the connection that it began, if any. */
export interface PendingAttempt {
  readonly attempt: Attempt;
  readonly conn: Conn | null;
  readonly name: string | null;
  readonly server: string;
  readonly session: string | null;
}

/** Everything an audit remembers; plain data, so that it can be written down and read back. */
export interface AuditState {
  servers: Map<string, ServerState>;
  /** Findings not drained yet; one that grows keeps its place. */
  findings: Map<string, Finding>;
  /** Findings made so far, to name the ones that do not grow. */
  made: number;
  /** Findings that can still grow, by code, server, session and key. */
  growing: Map<string, GrowingFinding>;
  /** Attempts not drained yet. */
  attempts: PendingAttempt[];
  lastIndex: number;
}

export const newAuditState = (): AuditState => ({
  servers: new Map(),
  findings: new Map(),
  made: 0,
  growing: new Map(),
  attempts: [],
  lastIndex: -1,
});
