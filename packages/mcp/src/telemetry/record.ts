import type { JsonPosition } from '../position.js';
import type { FloorRule, SessionState } from '../verdict/facts.js';

/** What a JSON-RPC message was; never its parameters or its result. */
export interface RpcFacts {
  readonly type?: 'request' | 'response' | 'notification' | 'error';
  readonly method?: string;
  readonly id?: string | number | null;
  readonly progress_token?: string | number;
}

export interface ClientFacts {
  readonly name?: string;
  readonly version?: string;
}

/** Members that every record may carry; `id`, `at`, `server` and `node` are filled in when absent. */
interface CommonMembers {
  readonly id?: string;
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly server?: string;
  readonly node?: string;
  /** Session token; null says that the request carried none. */
  readonly session?: string | null;
  readonly generation?: string | number | null;
  readonly stream?: string;
  readonly protocol_version?: string | null;
  /** What follows in the session is kept back. */
  readonly withheld_after?: true;
}

export interface ResumeAttemptRecord extends CommonMembers {
  readonly type: 'resume_attempt';
  readonly conn?: string;
  readonly last_event_id?: string | null;
  readonly cursor?: JsonPosition | null;
  readonly requested_generation?: string | number | null;
  readonly session_state?: SessionState;
  readonly floor?: JsonPosition;
  readonly head?: JsonPosition;
  readonly holes?: readonly (readonly [JsonPosition, JsonPosition])[];
  readonly reused?: readonly (readonly [JsonPosition, JsonPosition])[];
  readonly verdict: 'resumed' | 'refused' | 'fresh' | 'failed';
  readonly reason?: string | null;
  readonly status?: number | null;
  readonly code?: number | null;
  readonly replayed?: { readonly count: number; readonly first: string | null; readonly last: string | null } | null;
  readonly latency_ms?: number;
  readonly client?: ClientFacts;
  readonly policy?: { readonly floor: FloorRule };
}

export interface EmitRecord extends CommonMembers {
  readonly type: 'emit';
  readonly event_id: string;
  readonly position?: JsonPosition;
  readonly kind?: 'message' | 'priming';
  readonly rpc?: RpcFacts;
  readonly digest?: string | null;
  readonly bytes?: number;
}

/** One telemetry record, in the form that the intake of Tidemark reads. */
export type TelemetryRecord =
  | ResumeAttemptRecord
  | EmitRecord
  | (CommonMembers & { readonly type: 'boot' })
  | (CommonMembers & {
      readonly type: 'session';
      readonly event: 'created' | 'ended' | 'evicted' | 'superseded' | 'restored';
      readonly head?: JsonPosition;
    })
  | (CommonMembers & {
      readonly type: 'evict';
      readonly floor?: string | null;
      readonly event_ids?: readonly string[];
      readonly cause?: 'count' | 'bytes' | 'age' | 'memory' | 'stream_end' | 'restart';
    })
  | (CommonMembers & {
      readonly type: 'open';
      readonly conn: string;
      readonly method: 'GET' | 'POST';
      readonly rpc_id?: string | number | null;
      readonly status?: number | null;
      readonly code?: number | null;
    })
  | (CommonMembers & {
      readonly type: 'deliver';
      readonly conn: string;
      readonly event_ids: readonly string[];
      readonly digests?: readonly (string | null)[];
      readonly without_id?: boolean;
    })
  | (CommonMembers & { readonly type: 'close'; readonly conn: string; readonly by: 'client' | 'server' | 'network' | 'superseded' })
  | (CommonMembers & {
      readonly type: 'request';
      readonly conn?: string;
      readonly rpc?: RpcFacts;
      readonly tool?: string;
      readonly args_digest?: string;
      readonly status?: number | null;
      readonly code?: number | null;
      readonly content_type?: string | null;
    })
  | (CommonMembers & {
      readonly type: 'client';
      readonly conn?: string;
      readonly event: 'applied' | 'discarded' | 'reported_error' | 'connected';
      readonly event_ids?: readonly string[];
      readonly rpc?: RpcFacts;
      readonly code?: number | null;
    });
