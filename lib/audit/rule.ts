import type { Blame, Consequence, FindingCode, Severity } from '@/lib/audit/finding';
import type { StreamLog } from '@/lib/audit/model/stream-log';
import type { Attempt, Conn, ServerState, SessionState, StreamState } from '@/lib/audit/model/types';
import type { RecordOf } from '@/lib/wire/schema';

/** What a rule says; the registry adds severity, blame and next step unless the rule knows better. */
export interface Draft {
  readonly index: number;
  readonly count: bigint | number;
  readonly exact?: boolean;
  readonly server: string;
  readonly session: string | null;
  readonly stream?: string | null;
  readonly conn?: string | null;
  readonly first?: string | null;
  readonly last?: string | null;
  readonly message: string;
  readonly records?: readonly number[];
  readonly consequences?: readonly Consequence[];
  readonly severity?: Severity;
  readonly blame?: Blame;
  /** Reports of one code with one key are one finding that grows: the newest text and count stand. */
  readonly key?: string;
}

export type Report = (draft: Draft) => void;

/** How a connection came to its end; `history` means that the records end while it is open. */
export type EndCause = 'client' | 'server' | 'network' | 'superseded' | 'unknown' | 'history';

export interface ConnEnd {
  readonly conn: Conn;
  readonly session: SessionState;
  readonly stream: StreamState;
  readonly cause: EndCause;
  readonly index: number;
  readonly at: number | null;
  /** Some record of this session came after the newest event of the connection's log. */
  readonly hasLaterRecord: boolean;
  readonly serverState: ServerState;
}

export interface AttemptMoment {
  readonly attempt: Attempt;
  readonly conn: Conn | null;
  readonly session: SessionState;
  readonly stream: StreamState;
  readonly serverState: ServerState;
  readonly record: RecordOf<'resume_attempt'>;
}

export interface RequestMoment {
  readonly record: RecordOf<'request'>;
  readonly index: number;
  readonly at: number | null;
  readonly session: SessionState;
  readonly serverState: ServerState;
  readonly isInitialize: boolean;
  readonly isSuccess: boolean;
}

export interface OpenMoment {
  readonly conn: Conn | null;
  readonly record: RecordOf<'open'> | RecordOf<'resume_attempt'>;
  readonly index: number;
  readonly at: number | null;
  readonly session: SessionState;
  readonly stream: StreamState;
  readonly status: number | null | undefined;
  readonly isBusy: boolean;
}

export interface EmitMoment {
  readonly session: SessionState;
  readonly stream: StreamState;
  readonly log: StreamLog;
  readonly index: number;
  /** Texts that were issued again although the log held them, with whether the content was another. */
  readonly again: { text: string; digestDiffers: boolean; isAdjacent: boolean } | null;
  /** Different events in a row under the first id of the stream, now followed by another id. */
  readonly endedRun: StreamState['sameId'];
  readonly restart: { count: bigint; first: string; last: string; isProved: boolean; formerIndex: number } | null;
}

export interface SessionMoment {
  readonly record: RecordOf<'session'>;
  readonly index: number;
  readonly at: number | null;
  readonly session: SessionState;
  readonly serverState: ServerState;
  readonly former: { life: SessionState['life']; usedAt: number | null; principal: string | null };
}

export interface DeliverMoment {
  readonly conn: Conn;
  readonly session: SessionState;
  readonly index: number;
}

export interface ClientMoment {
  readonly record: RecordOf<'client'>;
  readonly index: number;
  readonly session: SessionState;
  readonly stream: StreamState;
}

/** One fault, one rule: it looks at moments of the history and reports what they prove. */
export interface Rule {
  readonly code: FindingCode;
  /** What it waits for may never be recorded: at the end of a history it is asked with the time by the clock. */
  readonly isOfSilence?: true;
  readonly emitted?: (moment: EmitMoment, report: Report) => void;
  readonly attempted?: (moment: AttemptMoment, report: Report) => void;
  readonly opened?: (moment: OpenMoment, report: Report) => void;
  readonly ended?: (moment: ConnEnd, report: Report) => void;
  readonly requested?: (moment: RequestMoment, report: Report) => void;
  readonly sessionChanged?: (moment: SessionMoment, report: Report) => void;
  readonly delivered?: (moment: DeliverMoment, report: Report) => void;
  readonly clientSaid?: (moment: ClientMoment, report: Report) => void;
  /** The history ends here, for now. Must leave the model as it is. */
  readonly sessionAtEnd?: (session: SessionState, server: ServerState, report: Report) => void;
  readonly serverAtEnd?: (server: ServerState, report: Report) => void;
}
