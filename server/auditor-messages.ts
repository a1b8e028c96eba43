import type { DatabaseAddress } from '@/db/connect';
import type { FindingCode, Severity } from '@/lib/audit/finding';

/** What the auditor's thread is started with. */
export interface AuditorSettings {
  readonly database: DatabaseAddress;
  /** Key of the hash that session tokens are stored as. */
  readonly secret: Uint8Array;
  /** A session that was silent for so long is settled. */
  readonly settleMs: number;
  readonly sessionsMax: number;
  readonly pageRecords: number;
  readonly checkpointMs: number;
}

export type ToAuditor = { readonly type: 'wake' } | { readonly type: 'close' };

export type FromAuditor =
  | {
      readonly type: 'stored';
      readonly records: number;
      readonly rejudged: number;
      /** Findings that were not known before. */
      readonly findings: readonly { readonly code: FindingCode; readonly severity: Severity }[];
    }
  | { readonly type: 'progress'; readonly servers: number; readonly lagMs: number }
  | { readonly type: 'trouble'; readonly message: string; readonly detail: string; readonly code?: string };
