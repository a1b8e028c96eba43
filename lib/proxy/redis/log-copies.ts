import type { Redis } from 'ioredis';
import { type HeldMemory, MemoryBound } from '@/lib/proxy/memory-bound';
import { baseOf, limits, metaKey, opsKey, retentionOf, sessionKeys, ttl } from '@/lib/proxy/redis/keys';
import { pairs, RedisView } from '@/lib/proxy/redis/log-view';
import { READ_SCRIPT, SETTLE_SCRIPT } from '@/lib/proxy/redis/scripts';
import type { AppendResult, SessionLog } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';

const VIEWS_MAX = 50_000;

/** What is kept of a session beside its changes. */
type Meta = Readonly<Record<string, string | undefined>>;
/** A change as Redis answers it: `<number>-0`, and its fields. */
type Change = [id: Buffer, fields: Buffer[]];
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

  /** The copy as it stands; undefined where none is held of this run of Redis. */
  get(key: string, run: string): RedisView | undefined {
    const view = this.views.get(key);
    return view?.meta.run === run ? view : undefined;
  }

  /** Brings a copy up to date, or builds it anew where it cannot be; null where Redis has no such session. */
  async synced(key: string, run: string, onApplied: OnApplied = () => undefined): Promise<RedisView | null> {
    const { redis } = this.options;
    const meta = await redis.hgetall(metaKey(key));
    if (meta['prefix'] === undefined) {
      this.drop(key);
      return null;
    }
    const last = meta['run'] === run ? Number(meta['n']) : await this.settled(key, run);
    const known = this.get(key, run);
    if (known === undefined || known.meta.prefix !== meta['prefix'] || known.last > last) return this.rebuilt(key, run, onApplied);
    const changes = await redis.xrangeBuffer(opsKey(key), `${known.last + 1}-0`, '+');
    const next = changes[0] === undefined ? last + 1 : numberOf(changes[0]);
    // Changes were trimmed before this copy read them, or are gone: it starts over from what is left.
    if (next > known.last + 1) return this.rebuilt(key, run, onApplied);
    return this.applied(key, known, meta, changes, onApplied);
  }

  /** Forgets all copies: what they are copies of may be another one now. */
  clear(): void {
    for (const key of [...this.views.keys()]) this.drop(key);
  }

  /** Says that a copy may hold more or less than before. Those that were silent longest go first where all hold too much: Redis has them. */
  count({ log }: RedisView): void {
    if (!this.memory.note(log)) return;
    this.memory.makeRoom(new Map([...this.views].map(([key, view]) => [key, view.log])), (key) => this.drop(key));
  }

  /** Notes a restart of Redis before the session is judged; answers the number of the last change. */
  private async settled(key: string, run: string): Promise<number> {
    const { redis, retention } = this.options;
    await redis.eval(SETTLE_SCRIPT, 4, ...sessionKeys(key), run, limits(retention), ttl(retention));
    return Number(await redis.hget(metaKey(key), 'n'));
  }

  /** A copy that is built from what Redis has left, read at one moment. */
  private async rebuilt(key: string, run: string, onApplied: OnApplied): Promise<RedisView | null> {
    const reply = await this.options.redis.callBuffer('EVAL', READ_SCRIPT, 2, metaKey(key), opsKey(key));
    const [fields, changes] = reply as [Buffer[], Change[]];
    const meta = Object.fromEntries(pairs(fields).map(([name, value]) => [name, value.toString('utf8')]));
    this.drop(key);
    const { prefix, principal } = meta;
    if (prefix === undefined || principal === undefined) return null;
    // Redis gave changes up that nobody dropped: what it still says of the session is not its log.
    if (changes.length === 0 && Number(meta['n']) > 0 && meta['state'] !== 'ended') return null;
    const base = baseOf(meta['base']);
    const isBased = base !== null && changes[0] !== undefined && numberOf(changes[0]) === base.seq + 1;
    const kept = {
      run,
      prefix,
      principal,
      isHeardFromStart: meta['heard'] === '1',
      createdAt: Number(meta['created']),
      retention: retentionOf(meta['retention']) ?? this.options.retention,
    };
    return this.applied(key, new RedisView(kept, isBased ? base : null), meta, changes, onApplied);
  }

  private applied(key: string, view: RedisView, meta: Meta, changes: readonly Change[], onApplied: OnApplied): RedisView {
    for (const change of changes) {
      const seq = numberOf(change);
      // Another request brought this copy further meanwhile.
      if (seq > view.last) onApplied(seq, view.apply(seq, pairs(change[1]), this.options.clock()));
    }
    // An id was issued twice, or a generation began, and this copy may know nothing of the first time.
    if (meta['lost'] === '1' && !view.isNotedAgain && !view.isWhole) view.log.loseIds(null);
    view.isNotedAgain ||= meta['lost'] === '1';
    this.note(view.log, meta);
    this.remember(key, view);
    return view;
  }

  /** What is kept beside the changes, whichever of those are left. */
  private note(log: SessionLog, { state, incarnation, instance }: Meta): void {
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

const numberOf = ([id]: Change): number => Number.parseInt(id.toString('latin1'), 10);
