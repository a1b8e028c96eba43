import type { Spool } from '../spool/spool.js';
import type { Transport } from './batch.js';
import type { Overflow } from './record-queue.js';
import type { Teller } from './teller.js';

export interface SenderOptions {
  readonly transport: Transport;
  readonly spool: Spool | null;
  readonly producer: string;
  readonly epoch: string;
  /** When it began; epoch milliseconds. */
  readonly began: number;
  readonly maxQueuedRecords: number;
  readonly maxQueuedBytes: number;
  readonly overflow: Overflow;
  readonly maxBatchRecords: number;
  readonly flushIntervalMs: number;
  readonly maxAttempts: number;
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  readonly probeIntervalMs: number;
  readonly tell: Teller;
}
