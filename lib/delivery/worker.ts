import { GIVE_UP_AFTER_MS } from '@/lib/alerting/retry';
import type { Channel } from '@/lib/delivery/channel';
import type { ClaimedDelivery, Outbox } from '@/lib/delivery/outbox';
import type { Sender } from '@/lib/delivery/sender';
import { settlementOf } from '@/lib/delivery/settle';

export interface WorkerParts {
  readonly outbox: Outbox;
  readonly sender: Sender;
  /** The channels that this process knows how to reach, by name. */
  readonly channels: () => Promise<ReadonlyMap<string, Channel>>;
  readonly now: () => number;
  readonly random: () => number;
  /** Elapsed time for latencies, in milliseconds. */
  readonly elapsed: () => number;
  /** Told of every attempt, for the metrics. */
  readonly onAttempt?: (channel: Channel, outcome: string, latencyMs: number) => void;
}

/** Endpoints that one process sends to at the same time. */
const CONCURRENCY = 8;
/** Longer than any attempt may take: a lease that runs out belongs to a process that died. */
export const LEASE_MS = 60_000;

/**
 * Sends what is due: to each endpoint one message at a time, oldest first, to several endpoints at once. A
 * process that dies between sending and noting it leaves the lease to run out, and the message is sent again
 * under the same id: at least once.
 */
export class DeliveryWorker {
  readonly #parts: WorkerParts;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /**
   * Sends until nothing is due and nothing is under way; resolves with the number of attempts. A slow receiver
   * holds up nobody but itself. After `signal` aborts nothing new is begun, and what is under way is finished.
   */
  async drain(signal?: AbortSignal): Promise<number> {
    const { outbox, now } = this.#parts;
    const underWay = new Set<Promise<void>>();
    let attempts = 0;
    for (;;) {
      const channels = await this.#parts.channels();
      const free = signal?.aborted === true ? 0 : CONCURRENCY - underWay.size;
      const claimed = free === 0 ? [] : await outbox.claim([...channels.keys()], free, now(), LEASE_MS);
      attempts += claimed.length;
      for (const delivery of claimed) {
        const attempt: Promise<void> = this.#attempt(delivery, channels).finally(() => underWay.delete(attempt));
        underWay.add(attempt);
      }
      if (claimed.length > 0) continue;
      if (underWay.size === 0) return attempts;
      await Promise.race(underWay);
    }
  }

  /** Gives up what is too old to be news. */
  expire(): Promise<number> {
    return this.#parts.outbox.expire(this.#parts.now(), GIVE_UP_AFTER_MS);
  }

  async #attempt(delivery: ClaimedDelivery, channels: ReadonlyMap<string, Channel>): Promise<void> {
    const { outbox, sender, now, random, elapsed, onAttempt } = this.#parts;
    const channel = channels.get(delivery.endpoint);
    if (channel === undefined) return;
    const atMs = now();
    const started = elapsed();
    const result = await sender.send(channel, { id: delivery.id, body: delivery.body }, atMs);
    const latencyMs = Math.round(elapsed() - started);
    onAttempt?.(channel, result.outcome, latencyMs);
    await outbox.settle(delivery, { atMs, latencyMs, result }, settlementOf(delivery, result, now(), random()));
  }
}
