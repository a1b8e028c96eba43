import type { Redis } from 'ioredis';
import { LEASE_SCRIPT } from '@/lib/proxy/redis/scripts';

const LEASE_MS = 2000;

/** What the clock of Redis said, and between which instants of ours. */
interface ClockReading {
  readonly redisMs: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/**
 * The lease by which this replica says that it can write. It ends at an instant on the clock of Redis that is fixed when it is asked
 * for: one that is granted late is the shorter for it. Instants here are those of a monotonic clock, milliseconds.
 */
export class RedisLease {
  /** Until then the others may take this replica for one that can write. */
  trustedUntil = 0;
  private heldUntil = 0;
  private reading: ClockReading | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
  ) {}

  /** Whether the lease is certainly held still. */
  get isHeld(): boolean {
    return performance.now() < this.heldUntil;
  }

  /** Reads the clock of Redis; after each connect, before the first lease. */
  async readClock(): Promise<void> {
    const sentAt = performance.now();
    const [seconds, micros] = await this.redis.time();
    this.note(sentAt, 1000 * Number(seconds) + Math.floor(Number(micros) / 1000));
  }

  async renew(): Promise<void> {
    const { reading } = this;
    if (reading === null) return;
    const sentAt = performance.now();
    const until = sentAt + LEASE_MS;
    // It may be granted whatever the answer, or none, says.
    this.trustedUntil = until;
    // The clock of Redis shows this at `until` at the latest, wherever between sending and hearing it was read.
    const endsAt = Math.floor(reading.redisMs + until - reading.heardAt);
    const redisMs = Number(await this.redis.eval(LEASE_SCRIPT, 1, this.key, endsAt, LEASE_MS));
    if (redisMs < endsAt) this.heldUntil = Math.max(this.heldUntil, until - (reading.heardAt - reading.sentAt) - ROUNDING_MS);
    this.note(sentAt, redisMs);
  }

  /**
   * Resolves once the lease as it stands now is over for every other replica. One that is renewed meanwhile is renewed by
   * whoever told what was lost before, so it is not waited for.
   */
  async runOut(): Promise<void> {
    const until = this.trustedUntil;
    for (let left = until - performance.now(); left > 0; left = until - performance.now())
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
  }

  async giveUp(): Promise<void> {
    await this.redis.del(this.key);
  }

  private note(sentAt: number, redisMs: number): void {
    this.reading = { redisMs, sentAt, heardAt: performance.now() };
  }
}

/** Redis tells whole milliseconds, and gives up a key in the one after. */
const ROUNDING_MS = 4;
