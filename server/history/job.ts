import type { DatabaseAddress } from '@/db/connect';
import type { ErrorCode } from '@/lib/http/error-codes';
import type { ServerPeriod } from '@/lib/query/history-records';
import type { FloorRule } from '@/lib/resume/types';
import type { ALIGNMENTS, ComparedHistory } from '@/server/history/compare-of';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly database: DatabaseAddress;
  readonly secret: Uint8Array;
}

/** Work over whole histories: seconds of CPU that must not stand in the way of the intake. */
export type HistoryJob =
  | { readonly type: 'import'; readonly text: string }
  | { readonly type: 'prove'; readonly mediaType: string; readonly text: string }
  | { readonly type: 'audit'; readonly incident: string }
  | { readonly type: 'timeline'; readonly incident: string; readonly first: number; readonly limit: number }
  | { readonly type: 'session_timeline' | 'session_records'; readonly session: string; readonly first: number; readonly limit: number }
  | { readonly type: 'session_findings'; readonly session: string }
  | { readonly type: 'drive_plan'; readonly incident: string }
  | { readonly type: 'bundle' | 'report' | 'test'; readonly incident: string }
  | { readonly type: 'whatif'; readonly text: string }
  | { readonly type: 'retention'; readonly period: ServerPeriod }
  | { readonly type: 'backtest'; readonly period: ServerPeriod; readonly floor: FloorRule | null }
  | {
      readonly type: 'compare';
      readonly left: ComparedHistory;
      readonly right: ComparedHistory;
      readonly align: (typeof ALIGNMENTS)[number];
    };

export interface JobFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly nextStep?: string;
}

export type JobReply =
  | { readonly kind: 'progress'; readonly value: unknown }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly failure: JobFailure }
  | { readonly kind: 'failed'; readonly message: string };
