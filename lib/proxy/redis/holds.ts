import type { Redis } from 'ioredis';
import type { StreamHold } from '@/lib/proxy/log-store';
import { CLAIM_SCRIPT, RELEASE_SCRIPT } from '@/lib/proxy/redis/scripts';

export interface HoldPlace {
  readonly key: string;
  readonly stream: string;
}

export interface RedisHoldsOptions {
  readonly redis: Redis;
  /** Name of this replica. */
  readonly node: string;
  /** Key of the holds of a session, and how long they are kept, milliseconds. */
  readonly keyOf: (key: string) => string;
  readonly ttlMs: number;
  readonly isAlive: (node: string) => Promise<boolean>;
}

/** One connection's hold. Its text is unlike any other's, so that what is written under it can be told from what is not. */
class RedisHold implements StreamHold {
  isHeld = true;
  /** Whether another replica took it over. */
  isLost = false;

  constructor(
    readonly place: HoldPlace,
    readonly text: string,
    private readonly holds: RedisHolds,
    private readonly onLost: () => void,
  ) {}

  async verify(): Promise<boolean> {
    if (this.isHeld && (await this.holds.textOf(this.place)) !== this.text) this.lose();
    return this.isHeld;
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.holds.drop(this, true);
  }

  lose(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.isLost = true;
    this.holds.drop(this, false);
    this.onLost();
  }
}

/**
 * Which connection is served which stream, over all replicas: one at a time. A hold lasts as long as the lease of the
 * replica that has it; once that ran out, another may take the stream over, and nothing is logged any more under the
 * hold that was taken over.
 */
export class RedisHolds {
  private readonly own = new Map<string, RedisHold>();
  /** Holds that are over and that Redis could not be told of yet. */
  private readonly over = new Set<RedisHold>();

  constructor(private readonly options: RedisHoldsOptions) {}

  /** What this replica writes to a stream under; null while none of its connections holds it. */
  of(key: string, stream: string): RedisHold | null {
    return this.own.get(nameOf({ key, stream })) ?? null;
  }

  /** Claims a stream for a connection; null while another one holds it. */
  async claim(place: HoldPlace, conn: string, onLost: () => void): Promise<StreamHold | null> {
    const held = await this.textOf(place);
    if (this.own.has(nameOf(place))) return null;
    const holder = held === null ? null : (held.split('|')[0] ?? '');
    if (holder !== null && holder !== this.options.node && (await this.options.isAlive(holder))) return null;
    if (this.own.has(nameOf(place))) return null;
    const hold = this.take(place, conn, onLost);
    try {
      if (await this.write(hold, held ?? '')) return hold;
    } catch (error) {
      // It may have been written all the same.
      hold.release();
      throw error;
    }
    this.drop(hold, false);
    return null;
  }

  /** Claims a stream that nobody can know yet. What is logged after it comes after the claim. */
  claimNew(place: HoldPlace, conn: string, onLost: () => void): StreamHold {
    const hold = this.take(place, conn, onLost);
    this.write(hold, '').catch(() => undefined);
    return hold;
  }

  async textOf({ key, stream }: HoldPlace): Promise<string | null> {
    return this.options.redis.hget(this.options.keyOf(key), stream);
  }

  drop(hold: RedisHold, isToRelease: boolean): void {
    const name = nameOf(hold.place);
    if (this.own.get(name) === hold) this.own.delete(name);
    if (!isToRelease) return;
    this.over.add(hold);
    this.releaseOver();
  }

  async releaseAll(): Promise<void> {
    for (const hold of [...this.own.values()]) hold.release();
    await Promise.all(this.releaseOver());
  }

  /** Tells Redis of what is over; what cannot be told is told later. */
  releaseOver(): Promise<void>[] {
    const { redis, keyOf } = this.options;
    return [...this.over].map((hold) =>
      redis.eval(RELEASE_SCRIPT, 1, keyOf(hold.place.key), hold.place.stream, hold.text).then(
        () => void this.over.delete(hold),
        () => undefined,
      ),
    );
  }

  /** Redis can be reached again: what it forgot is said again, and what was taken over meanwhile is lost. */
  async assertAll(): Promise<void> {
    this.releaseOver();
    for (const hold of [...this.own.values()]) {
      if (!(await this.write(hold, ''))) await hold.verify();
    }
  }

  private take(place: HoldPlace, conn: string, onLost: () => void): RedisHold {
    const hold = new RedisHold(place, `${this.options.node}|${conn}`, this, onLost);
    this.own.set(nameOf(place), hold);
    return hold;
  }

  private async write({ place, text }: RedisHold, expected: string): Promise<boolean> {
    const { redis, keyOf, ttlMs } = this.options;
    return Number(await redis.eval(CLAIM_SCRIPT, 1, keyOf(place.key), place.stream, expected, text, ttlMs)) === 1;
  }
}

const nameOf = ({ key, stream }: HoldPlace): string => `${key}\0${stream}`;
