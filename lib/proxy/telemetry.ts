import { randomUUID } from 'node:crypto';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** In-process intake: takes records at once and never throws into the traffic. */
export type TelemetrySink = (records: TelemetryRecord[]) => void;

/** Omits per member of a union, so that each record type keeps its own fields. */
type WithoutStamp<T> = T extends unknown ? Omit<T, 'id' | 'at' | 'node'> : never;
export type UnstampedRecord = WithoutStamp<TelemetryRecord>;

/** Records held between two flushes; beyond it they are handed on at once. */
const PENDING_MAX = 2000;
/** Events that the records held tell of; beyond it they are handed on too, since what lives longer is dearer to collect. */
const PENDING_EVENTS_MAX = 4096;
const FLUSH_EVERY_MS = 500;

/** Something with records of its own to add before the stream of records goes on. */
export interface Journal {
  flush(): void;
}

/**
 * Gathers what the proxy reports of itself, in the order in which it happened, and hands it on in batches.
 * Journals of busy connections join their runs of events into few records.
 */
export class Telemetry {
  private pending: TelemetryRecord[] = [];
  private pendingEvents = 0;
  private readonly dirty = new Set<Journal>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly sink: TelemetrySink,
    private readonly clock: () => number,
    private readonly node: string,
    private readonly onSinkError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => this.flush(), FLUSH_EVERY_MS);
    this.timer.unref();
  }

  add(record: UnstampedRecord): void {
    this.pending.push({ id: randomUUID(), at: this.clock(), node: this.node, ...record });
    if ('event_ids' in record && record.event_ids !== undefined) this.pendingEvents += record.event_ids.length;
    // The journals wait for the next flush: this may be one of them, amid it.
    if (this.pending.length >= PENDING_MAX || this.pendingEvents >= PENDING_EVENTS_MAX) this.handOn();
  }

  markDirty(journal: Journal): void {
    this.dirty.add(journal);
  }

  /** Everything reported so far goes to the sink before this returns. */
  flush(): void {
    for (const journal of this.dirty) journal.flush();
    this.dirty.clear();
    this.handOn();
  }

  close(): void {
    clearInterval(this.timer);
    this.flush();
  }

  private handOn(): void {
    if (this.pending.length === 0) return;
    const records = this.pending;
    this.pending = [];
    this.pendingEvents = 0;
    try {
      this.sink(records);
    } catch (error) {
      this.onSinkError(error);
    }
  }
}
