import type { Redis } from 'ioredis';
import { type HeldMemory, MemoryBound } from '@/lib/proxy/memory-bound';
import { limits, metaKey, opsKey, retentionOf, ttl } from '@/lib/proxy/redis/keys';
import { pairs, RedisView } from '@/lib/proxy/redis/log-view';
import { SETTLE_SCRIPT } from '@/lib/proxy/redis/scripts';
import type { AppendResult, SessionLog } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';

const VIEWS_MAX = 50_000;

type OnApplied = (seq: number, results: readonly AppendResult[]) => void;

export interface LogCopiesOptions {
  readonly redis: Redis;
  readonly clock: () => number;
  /** Retention of a session that does not say its own. */
  readonly retention: Retention;
  /** Bytes that all copies hold at most. */
  readonly memoryBytes: number;
}

/** This replica's copies of the logs in Redis, each brought up to date when it is asked for. */
export class LogCopies {
  private readonly views = new Map<string, RedisView>();
  private readonly memory: MemoryBound;

  constructor(private readonly options: LogCopiesOptions) {
    this.memory = new MemoryBound(options.memoryBytes);
  }

  get memoryHeld(): HeldMemory {
    return this.memory.held(this.views.size);
  }

  /** The copy as it stands; undefined where none is held. */
  get(key: string): RedisView | undefined {
    return this.views.get(key);
  }

  /** Brings a copy up to date, or builds it anew where it cannot be; null where Redis has no such session. */
  async synced(key: string, run: string, onApplied: OnApplied = () => undefined): Promise<RedisView | null> {
    const { redis, clock } = this.options;
    const known = this.views.get(key);
    const meta = await redis.hgetall(metaKey(key));
    const { prefix, principal } = meta;
    if (prefix === undefined || principal === undefined) {
      this.drop(key);
      return null;
    }
    const last = meta['run'] === run ? Number(meta['n']) : await this.settled(key, run);
    const isUsable = known !== undefined && known.meta.prefix === prefix && known.last <= last;
    const view = isUsable ? known : this.emptyView(prefix, principal, meta);
    const ops = await redis.xrangeBuffer(opsKey(key), `${view.last + 1}-0`, '+');
    for (const [id, fields] of ops) {
      const seq = Number.parseInt(id.toString('latin1'), 10);
      if (seq <= view.last) continue;
      if (isUsable && seq !== view.last + 1) {
        // Changes were trimmed before this copy read them: it starts over from what is left.
        this.drop(key);
        return this.synced(key, run, onApplied);
      }
      onApplied(seq, view.apply(seq, pairs(fields), clock()));
    }
    // An id was issued twice, or a generation began, and this copy may know nothing of the first time.
    if (!isUsable && meta['lost'] === '1' && view.log.numberedFrom > 1) view.log.loseIds(null);
    view.isNotedAgain = meta['lost'] === '1';
    this.note(view.log, meta);
    this.remember(key, view);
    return view;
  }

  /** Says that a copy may hold more or less than before. Those that were silent longest go first where all hold too much: Redis has them. */
  count({ log }: RedisView): void {
    if (!this.memory.note(log)) return;
    this.memory.makeRoom(new Map([...this.views].map(([key, view]) => [key, view.log])), (key) => this.drop(key));
  }

  /** Notes a restart of Redis before the session is judged; answers the number of the last change. */
  private async settled(key: string, run: string): Promise<number> {
    const { redis, retention } = this.options;
    await redis.eval(SETTLE_SCRIPT, 2, metaKey(key), opsKey(key), run, limits(retention), ttl(retention));
    return Number(await redis.hget(metaKey(key), 'n'));
  }

  private emptyView(prefix: string, principal: string, meta: Readonly<Record<string, string>>): RedisView {
    return new RedisView({
      prefix,
      principal,
      isHeardFromStart: meta['heard'] === '1',
      createdAt: Number(meta['created']),
      retention: retentionOf(meta['retention']) ?? this.options.retention,
    });
  }

  /** What is kept beside the changes, whichever of those are left. */
  private note(log: SessionLog, { state, incarnation, instance }: Readonly<Record<string, string | undefined>>): void {
    if (state === 'fenced') log.isFenced = true;
    if (state === 'ended' && log.state === 'live') log.end(this.options.clock());
    if (incarnation !== undefined) log.incarnation = Math.max(log.incarnation ?? 0, Number(incarnation));
    log.instance = instance === undefined || instance === '' ? null : instance;
  }

  private remember(key: string, view: RedisView): void {
    const known = this.views.get(key);
    if (known !== view && known !== undefined) this.memory.forget(known.log);
    this.views.delete(key);
    this.views.set(key, view);
    const [oldest] = this.views.keys();
    if (this.views.size > VIEWS_MAX && oldest !== undefined) this.drop(oldest);
    this.count(view);
  }

  private drop(key: string): void {
    const view = this.views.get(key);
    if (view !== undefined) this.memory.forget(view.log);
    this.views.delete(key);
  }
}
