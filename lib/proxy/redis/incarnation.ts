import type { Redis } from 'ioredis';
import type { Incarnation, SharedIncarnation } from '@/lib/proxy/incarnation';
import { StoreUnavailable } from '@/lib/proxy/log-store';
import { BEGAN_SCRIPT, WATCH_SCRIPT } from '@/lib/proxy/redis/scripts';

/** How long a replica counts as watching after it last said so. */
const WATCH_MS = 2_000;
/**
 * A replica that stood still for longer did not watch meanwhile. In shorter times, which a busy machine takes now and then, its own
 * connections tell it afterwards what was cut.
 */
const GAP_MS = 30_000;
const WATCH_EVERY_MS = 500;
/** A replica that died counts as watching for `WATCH_MS`; so long it takes at most to know that nobody is. */
const KNOWN_MS_MAX = 4_000;
const ASK_AGAIN_MS = 100;
const KEPT_MS = 90 * 24 * 60 * 60_000;

export interface RedisIncarnationOptions {
  readonly redis: Redis;
  /** Name of this replica. */
  readonly node: string;
  /** Name of the upstream, the same for all replicas. */
  readonly upstream: string;
  readonly onChange: (incarnation: Incarnation) => void;
}

interface Unsaid {
  readonly isCertain: boolean;
  readonly told: () => void;
}

/**
 * Counts the processes of an upstream in Redis, for all replicas. What one of them saw end, all know; and as long as one
 * of them watches, the others may rely on it. A replica that begins to watch while nobody does cannot know what happened
 * before: the incarnation that begins then is in doubt.
 */
export class RedisIncarnation implements SharedIncarnation {
  private readonly keys: readonly [string, string];
  private readonly timer: NodeJS.Timeout;
  private unsaid: Unsaid[] = [];
  /** Whether this replica watched without a gap since it last heard. */
  private isWatching = false;
  /** How long others were said to watch when this replica first asked: only one that says so anew is known to live. */
  private othersUntil: number | null = null;
  private lastTick = performance.now();
  private last: Incarnation | null = null;
  private telling: Promise<void> | null = null;

  constructor(private readonly options: RedisIncarnationOptions) {
    const { upstream } = options;
    this.keys = [`tidemark:{up:${upstream}}:incarnation`, `tidemark:{up:${upstream}}:watch`];
    this.timer = setInterval(() => this.tick(), WATCH_EVERY_MS);
    this.timer.unref();
  }

  async read(): Promise<Incarnation> {
    const until = performance.now() + KNOWN_MS_MAX;
    this.noteGap();
    while (!this.isWatching || this.unsaid.length > 0) {
      if (performance.now() > until) throw new StoreUnavailable('which process the upstream is cannot be known yet');
      await this.tell();
      if (!this.isWatching) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
    const [current, certain] = await this.options.redis.hmget(this.keys[0], 'n', 'certain');
    // Redis forgot it: this replica did not, and counts on from there.
    if (current == null) return this.recount();
    return this.heard(Number(current), Number(certain));
  }

  async began(isCertain: boolean): Promise<void> {
    const told = new Promise<void>((resolve) => this.unsaid.push({ isCertain, told: resolve }));
    this.tell().catch(() => undefined);
    await told;
  }

  /** Redis can be reached again, or for the first time. */
  async enter(): Promise<void> {
    await this.tell();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.options.redis.zrem(this.keys[1], this.options.node);
  }

  private tick(): void {
    this.noteGap();
    this.lastTick = performance.now();
    if (this.options.redis.status === 'ready') this.tell().catch(() => undefined);
  }

  private noteGap(): void {
    if (performance.now() - this.lastTick > GAP_MS) this.isWatching = false;
  }

  /** Tells what is unsaid and renews the watch; one at a time. */
  private async tell(): Promise<void> {
    this.telling ??= this.tellOnce().finally(() => {
      this.telling = null;
    });
    await this.telling;
  }

  private async tellOnce(): Promise<void> {
    const { redis } = this.options;
    // Who finds that another one lives watches from now on, and says so at once.
    if (!(await this.watch()) && this.isWatching) await this.watch();
    while (this.isWatching && this.unsaid[0] !== undefined) {
      const [first] = this.unsaid;
      const [current, since] = numbers(await redis.eval(BEGAN_SCRIPT, 1, this.keys[0], first.isCertain ? '1' : '0', KEPT_MS));
      this.unsaid.shift();
      this.heard(current, since);
      first.told();
    }
  }

  /** Answers whether all replicas know that this one watches. */
  private async watch(): Promise<boolean> {
    const { redis, node } = this.options;
    const watching = this.isWatching ? '1' : '0';
    const [n, certain, isSettled, until] = numbers(await redis.eval(WATCH_SCRIPT, 2, ...this.keys, node, WATCH_MS, watching, KEPT_MS));
    if (isSettled === 1 || (this.othersUntil !== null && until > this.othersUntil)) {
      this.isWatching = true;
      this.othersUntil = null;
      this.heard(n, certain);
    } else this.othersUntil ??= until;
    return isSettled === 1;
  }

  private async recount(): Promise<Incarnation> {
    this.isWatching = false;
    await this.tell();
    throw new StoreUnavailable('which process the upstream is was forgotten');
  }

  private heard(current: number, certain: number): Incarnation {
    if (this.last === null || this.last.current !== current || this.last.certain !== certain) {
      this.last = { current, certain };
      this.options.onChange(this.last);
    }
    return this.last;
  }
}

const numbers = (reply: unknown): readonly [number, number, number, number] => {
  const [a, b, c, d] = Array.isArray(reply) ? reply.map(Number) : [];
  return [a ?? 0, b ?? 0, c ?? 0, d ?? 0];
};
