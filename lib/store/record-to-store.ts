import type { BatchOrigin } from '@/lib/intake/batch-origin';
import type { Assessment, ServerAct } from '@/lib/resume/attempt-facts';
import type { Mark } from '@/lib/resume/mark';
import type { Reason, Verdict } from '@/lib/resume/types';
import type { AnnotationKind } from '@/lib/rollup/annotations';
import type { RecordType } from '@/lib/wire/schema';

/** A record ready to be written: decoded, judged, its session token already replaced by a reference. */
export interface RecordToStore {
  readonly type: RecordType;
  /** Lower-case UUID, the sender's or ours. */
  readonly id: string;
  /** Whether the sender gave the id: only such a record can arrive twice. */
  readonly hasOwnId: boolean;
  /** Epoch milliseconds: the sender's, or where that is not believed the instant of receipt. The store sets it to the first one that was given to the record. */
  at: number;
  /** Whether `at` is the same whenever the record is sent again; otherwise the store remembers it. */
  readonly hasSureDate: boolean;
  readonly receivedAt: number;
  /** Rises with every record of this process. */
  readonly arrival: number;
  readonly server: string;
  /** Id of the project that its sender may report for; null: for any. */
  readonly project: number | null;
  readonly node: string | null;
  /** Session reference, 32 hexadecimal digits; null when the record names no session. */
  readonly session: string | null;
  readonly generation: string | null;
  /** Null is the default stream. */
  readonly stream: string | null;
  /** The record as sent, without its session token, as JSON text. */
  readonly body: string;
  /** What the record says that happened to its server; null for most. */
  readonly annotation: AnnotationKind | null;
  /** Records that an unnumbered sender says it dropped right before this one. */
  readonly droppedBefore: number;
  /** What a resume attempt is queried by; null for every other type. */
  readonly attempt: AttemptColumns | null;
}

export interface AttemptColumns {
  readonly client: string | null;
  readonly requestedGeneration: string | null;
  readonly protocolVersion: string | null;
  readonly cursor: bigint | null;
  readonly floor: bigint | null;
  readonly head: bigint | null;
  readonly status: number | null;
  readonly latencyMs: number | null;
  readonly act: ServerAct['verdict'];
  readonly verdict: Verdict | null;
  readonly reason: Reason | null;
  readonly assessment: Assessment;
  readonly mark: Mark;
  readonly isUnavailable: boolean;
  readonly gapCount: bigint | null;
  readonly replayCount: bigint | null;
  readonly lead: bigint | null;
}

/**
 * What a sender sent, or a part of it. It is noted in the transaction of its records, of which it may have none, where its
 * producer numbers what it sends or something of it was rejected.
 */
export interface SentBatch {
  /** Id of the project that the sender may report for; null: for any. */
  readonly project: number | null;
  /** Null where the producer does not number what it sends. */
  readonly origin: BatchOrigin | null;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly records: readonly RecordToStore[];
  readonly rejected: readonly RejectedRecord[];
}

/** A record that is not stored, as far as it can be read. */
export interface RejectedRecord {
  /** Null where it cannot be read, or is not the sender's to report for. */
  readonly server: string | null;
  /** Lower-case UUID; null where the record cannot be known again. */
  readonly id: string | null;
  /** Epoch milliseconds; null where it cannot be read. */
  readonly at: number | null;
}

/** What became of the records handed over: those that are named nowhere are newly stored. */
export interface StoreOutcome {
  /** Stored before, and so are stored once still. */
  readonly duplicates: ReadonlySet<RecordToStore>;
  /** Not stored, and why. */
  readonly refused: ReadonlyMap<RecordToStore, StoreRefusal>;
}

/** `foreign`: of a server that belongs to another project than the sender. `expired`: of a day that was dropped, whose counts are kept. */
export type StoreRefusal = 'foreign' | 'expired';
