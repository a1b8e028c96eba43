import type { NoticeKind } from '@/lib/alerting/group';
import type { SendResult } from '@/lib/delivery/outcome';

/** A message to be stored for sending. */
export interface NewDelivery {
  /** Also the `webhook-id`. */
  readonly id: string;
  readonly endpoint: string;
  readonly rule: string;
  readonly groupKey: string;
  readonly episode: number;
  readonly kind: NoticeKind | 'test';
  readonly body: string;
}

/** One delivery under a lease on its endpoint: until it ends nobody else sends to that endpoint. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly endpoint: string;
  readonly lease: string;
  readonly body: string;
  /** Attempts that were made before. */
  readonly attempts: number;
  /** Failures in a row of the endpoint as a whole. */
  readonly endpointFailures: number;
  readonly createdAtMs: number;
}

export type DeadReason = 'attempts_exhausted' | 'too_old' | 'endpoint_gone' | 'endpoint_unknown' | 'queue_full';

/** What becomes of a delivery and its endpoint after an attempt. */
export interface Settlement {
  readonly delivery:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly nextAtMs: number }
    | { readonly state: 'dead'; readonly reason: DeadReason };
  readonly endpoint: { readonly failures: number; readonly notBeforeMs: number | null; readonly isGone: boolean };
}

export interface AttemptNote {
  readonly atMs: number;
  readonly latencyMs: number;
  readonly result: SendResult;
}

/** The outbox as the worker sees it. */
export interface Outbox {
  /** Leases up to `limit` endpoints that have something due, and hands out the oldest due delivery of each. */
  readonly claim: (endpoints: readonly string[], limit: number, nowMs: number, leaseMs: number) => Promise<ClaimedDelivery[]>;
  /** Writes the attempt down and ends the lease. */
  readonly settle: (claimed: ClaimedDelivery, attempt: AttemptNote, settlement: Settlement) => Promise<void>;
  /** Gives up deliveries that are older than `maxAgeMs`. */
  readonly expire: (nowMs: number, maxAgeMs: number) => Promise<number>;
}
