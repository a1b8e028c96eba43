import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Incarnation, SharedIncarnation } from '@/lib/proxy/incarnation';
import {
  type LogChange,
  type NewSession,
  type Peers,
  type SessionLogStore,
  StoreUnavailable,
  type StreamHold,
  type StreamHolds,
} from '@/lib/proxy/log-store';
import { type HeldMemory, MemoryBound } from '@/lib/proxy/memory-bound';
import { MEMORY_LIMITS } from '@/lib/proxy/memory-log-store';
import { type HoldPlace, RedisHolds } from '@/lib/proxy/redis-holds';
import { RedisIncarnation } from '@/lib/proxy/redis-incarnation';
import {
  changeChannel,
  holdsKey,
  leaseKey,
  limits,
  metaKey,
  noteOf,
  opsKey,
  releaseChannel,
  retentionOf,
  ttl,
} from '@/lib/proxy/redis-keys';
import { RedisLease } from '@/lib/proxy/redis-lease';
import { RedisPeers } from '@/lib/proxy/redis-peers';
import { BEGIN_SCRIPT, CHANGE_SCRIPT, SETTLE_SCRIPT } from '@/lib/proxy/redis-scripts';
import { encodeAppend, pairs, RedisView } from '@/lib/proxy/redis-view';
import type { NewEvent } from '@/lib/session-log/event-ring';
import type { AppendResult, SessionLog } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';

const COMMAND_TIMEOUT_MS = 1000;
const LEASE_EVERY_MS = 500;
const VIEWS_MAX = 50_000;
const OVER: Partial<Record<LogChange['kind'], string>> = { fence: 'fenced', end: 'ended' };

/** Events of a stream that were relayed and are not in the log. */
interface Loss {
  readonly requestId: string | null;
}

export interface RedisLogStoreOptions {
  readonly url: string;
  /** Name of this replica. */
  readonly node: string;
  /** Name that the replicas of one installation share, and those of no other that may use the same Redis. */
  readonly group?: string;
  readonly clock: () => number;
  /** Retention of a session that this replica first sees in Redis. */
  readonly retention: Retention;
  readonly onError: (error: Error) => void;
  /** Bytes that the copies of this replica hold at most. */
  readonly memoryBytes?: number;
}

/**
 * Session logs in Redis, shared by every replica. A replica that cannot write says so by its lease: it holds back
 * live events until the lease ran out, so that no other replica takes the log for complete while it is not.
 */
export class RedisLogStore implements SessionLogStore, StreamHolds {
  readonly isShared = true;
  readonly holds = this;
  readonly peers: Peers;
  private readonly redis: Redis;
  private readonly subscriber: Redis;
  private readonly views = new Map<string, RedisView>();
  /** Streams that relayed events which could not be logged, by session key. */
  private readonly losses = new Map<string, Map<string, Loss>>();
  /** Sessions that ended while Redis could not be told, and whose they have to be. */
  private readonly ends = new Map<string, string | null>();
  private readonly incarnations: RedisIncarnation[] = [];
  private readonly watchers = new Map<string, Set<() => void>>();
  private readonly memory: MemoryBound;
  private readonly lease: RedisLease;
  private readonly leaseTimer: NodeJS.Timeout;
  private readonly held: RedisHolds;
  private runId: string | null = null;
  private isFlushing = false;
  private release_: (key: string, stream: string) => void = () => undefined;

  constructor(private readonly options: RedisLogStoreOptions) {
    const settings = { commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 200 };
    this.memory = new MemoryBound(options.memoryBytes ?? MEMORY_LIMITS.bytes);
    this.redis = new Redis(options.url, settings);
    this.lease = new RedisLease(this.redis, leaseKey(options.node));
    this.held = new RedisHolds({
      redis: this.redis,
      node: options.node,
      keyOf: holdsKey,
      ttlMs: ttl(options.retention),
      isAlive: (node) => this.isReaderAlive(node),
    });
    this.subscriber = new Redis(options.url, { ...settings, enableOfflineQueue: true, maxRetriesPerRequest: null });
    for (const client of [this.redis, this.subscriber]) client.on('error', options.onError);
    const { node, group = '', onError } = options;
    const peers = new RedisPeers({ redis: this.redis, subscriber: this.subscriber, node, group, onError });
    this.peers = { ask: (question) => this.guarded(() => peers.ask(question)), onAsk: (answer) => peers.onAsk(answer) };
    this.redis.on('ready', () => this.enter());
    this.redis.on('close', () => {
      this.runId = null;
    });
    this.leaseTimer = setInterval(() => this.renewLease(), LEASE_EVERY_MS);
    this.leaseTimer.unref();
    this.subscriber.subscribe(releaseChannel(options.node)).catch(options.onError);
    this.subscriber.on('message', (channel, text) => this.onMessage(channel, text));
  }

  /** Resolves once the store can be used, and which process each upstream is is known. */
  async ready(): Promise<void> {
    while (this.runId === null) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const incarnation of this.incarnations) await incarnation.read();
  }

  get memoryHeld(): HeldMemory {
    return this.memory.held(this.views.size);
  }

  async find(key: string): Promise<SessionLog | null> {
    const view = await this.guarded(async (run) => {
      await this.flushLosses(key);
      return this.synced(key, run);
    });
    if (view === null) return null;
    const now = this.options.clock();
    view.log.askedAt = now;
    view.log.trim(now);
    this.count(view);
    return view.log;
  }

  async begin(key: string, session: NewSession): Promise<SessionLog> {
    const view = await this.guarded(async (run) => {
      const prefix = randomBytes(6).toString('hex');
      const heard = session.isHeardFromStart ? '1' : '0';
      const { principal, retention, incarnation, instance } = session;
      const kept = [JSON.stringify(retention), incarnation, instance ?? ''];
      const args = [run, limits(retention), ttl(retention), principal, heard, this.options.clock(), prefix, ...kept];
      await this.redis.eval(BEGIN_SCRIPT, 3, metaKey(key), opsKey(key), holdsKey(key), ...args);
      this.losses.delete(key);
      this.ends.delete(key);
      return this.synced(key, run);
    });
    if (view === null) throw new StoreUnavailable('the session could not be begun');
    return view.log;
  }

  async append(key: string, stream: string, requestId: string | null, events: readonly NewEvent[]): Promise<readonly AppendResult[]> {
    try {
      return await this.guarded(async (run) => {
        await this.flushLosses(key);
        return this.writeHeld(key, run, { stream, requestId, events });
      });
    } catch (error) {
      this.noteLoss(key, stream, requestId);
      await this.lease.runOut();
      throw error;
    }
  }

  async change(key: string, change: LogChange): Promise<void> {
    try {
      await this.guarded((run) => this.write(key, run, OVER[change.kind] ?? '', ['c', JSON.stringify(change)], null, '', noteOf(change)));
    } catch (error) {
      // It is over whether Redis can be told or not.
      if (change.kind === 'end') this.ends.set(key, change.principal ?? null);
      // What is missing is missing whether Redis can be told or not.
      if (change.kind === 'loss') this.noteLoss(key, change.stream, change.requestId);
      if (change.kind === 'unread' || change.kind === 'hole') this.noteLoss(key, change.stream, null);
      throw error;
    }
  }

  claim(place: HoldPlace, conn: string, onLost: () => void): Promise<StreamHold | null> {
    return this.guarded(() => this.held.claim(place, conn, onLost));
  }

  claimNew(place: HoldPlace, conn: string, onLost: () => void): StreamHold {
    return this.held.claimNew(place, conn, onLost);
  }

  watch(key: string, onChange: () => void): () => void {
    const channel = changeChannel(key);
    const watchers = this.watchers.get(channel) ?? new Set();
    if (watchers.size === 0) this.subscriber.subscribe(channel).then(onChange, this.options.onError);
    watchers.add(onChange);
    this.watchers.set(channel, watchers);
    return () => {
      watchers.delete(onChange);
      if (watchers.size > 0) return;
      this.watchers.delete(channel);
      this.subscriber.unsubscribe(channel).catch(this.options.onError);
    };
  }

  followUpstream(upstream: string, onChange: (incarnation: Incarnation) => void): SharedIncarnation {
    const incarnation = new RedisIncarnation({ redis: this.redis, node: this.options.node, upstream, onChange });
    this.incarnations.push(incarnation);
    return {
      read: () => this.guarded(() => incarnation.read()),
      began: (isCertain) => incarnation.began(isCertain),
    };
  }

  async isReaderAlive(node: string): Promise<boolean> {
    return this.guarded(async () => (await this.redis.exists(leaseKey(node))) === 1);
  }

  async release(node: string, key: string, stream: string): Promise<void> {
    await this.guarded(() => this.redis.publish(releaseChannel(node), JSON.stringify([key, stream])));
  }

  onRelease(release: (key: string, stream: string) => void): void {
    this.release_ = release;
  }

  async close(): Promise<void> {
    clearInterval(this.leaseTimer);
    // Whoever comes next need not wait for the lease to end.
    await this.guarded(async () => {
      await this.held.releaseAll();
      for (const incarnation of this.incarnations) await incarnation.close();
      await this.lease.giveUp();
    }).catch(() => undefined);
    this.redis.disconnect();
    this.subscriber.disconnect();
  }

  private async guarded<T>(work: (run: string) => Promise<T>): Promise<T> {
    const run = this.runId;
    if (run === null) throw new StoreUnavailable('the session log store is not connected');
    try {
      return await work(run);
    } catch (error) {
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(String(error), { cause: error });
    }
  }

  /**
   * Appends under the hold of whoever is served the stream here. A process that stood still may read the answer long
   * after it was given: beyond its lease it asks again, so that nothing is written that another replica serves by now.
   */
  private async writeHeld(key: string, run: string, own: Parameters<RedisView['append']>[0]): Promise<readonly AppendResult[]> {
    const hold = this.held.of(key, own.stream);
    const results = await this.write(key, run, '', encodeAppend(own.stream, own.requestId, own.events), own, hold?.text ?? '');
    const view = this.views.get(key);
    // Only who has all changes can tell that ids came again: said beside them, for copies that are built without those.
    if (view?.hasIdsAgain === true && !view.isToldAgain) {
      await this.redis.hset(metaKey(key), 'lost', '1');
      view.isToldAgain = true;
    }
    if (results === null) hold?.lose();
    else if (hold !== null && !this.lease.isHeld) await hold.verify();
    return results ?? [];
  }

  /** Null where the stream is no longer held as said. */
  private async write(
    key: string,
    run: string,
    state: string,
    fields: (string | Buffer)[],
    own: Parameters<RedisView['append']>[0] | null,
    hold = '',
    [name, value]: readonly [string, string] = ['', ''],
  ): Promise<readonly AppendResult[] | null> {
    const { retention } = this.options;
    const args = [run, limits(retention), ttl(retention), changeChannel(key), state, own?.stream ?? '', hold, name, value, ...fields];
    const seq = Number(await this.redis.eval(CHANGE_SCRIPT, 3, metaKey(key), opsKey(key), holdsKey(key), ...args));
    if (seq === -3) return null;
    if (seq < 0) return [];
    const view = this.views.get(key);
    if (own !== null && view !== undefined && view.last === seq - 1) {
      view.last = seq;
      const results = view.append(own);
      this.count(view);
      return results;
    }
    let results: readonly AppendResult[] = [];
    await this.synced(key, run, (at, applied) => {
      if (at === seq) results = applied;
    });
    return results;
  }

  /** Brings this replica's copy up to date, or rebuilds it where it cannot be. */
  private async synced(
    key: string,
    run: string,
    onApplied: (seq: number, results: readonly AppendResult[]) => void = () => undefined,
  ): Promise<RedisView | null> {
    const known = this.views.get(key);
    const meta = await this.redis.hgetall(metaKey(key));
    const { prefix, principal } = meta;
    if (prefix === undefined || principal === undefined) {
      this.drop(key);
      return null;
    }
    let last = Number(meta['n']);
    if (meta['run'] !== run) {
      const { retention } = this.options;
      await this.redis.eval(SETTLE_SCRIPT, 2, metaKey(key), opsKey(key), run, limits(retention), ttl(retention));
      last = Number(await this.redis.hget(metaKey(key), 'n'));
    }
    const isUsable = known !== undefined && known.meta.prefix === prefix && known.last <= last;
    const view = isUsable
      ? known
      : new RedisView({
          prefix,
          principal,
          isHeardFromStart: meta['heard'] === '1',
          createdAt: Number(meta['created']),
          retention: retentionOf(meta['retention']) ?? this.options.retention,
        });
    const ops = await this.redis.xrangeBuffer(opsKey(key), `${view.last + 1}-0`, '+');
    for (const [id, fields] of ops) {
      const seq = Number.parseInt(id.toString('latin1'), 10);
      if (seq <= view.last) continue;
      if (isUsable && seq !== view.last + 1) {
        // Changes were trimmed before this copy read them: it starts over from what is left.
        this.drop(key);
        return this.synced(key, run, onApplied);
      }
      onApplied(seq, view.apply(seq, pairs(fields), this.options.clock()));
    }
    // An id was issued twice, or a generation began, and this copy may know nothing of the first time.
    if (!isUsable && meta['lost'] === '1' && view.log.numberedFrom > 1) view.log.loseIds(null);
    this.note(view.log, meta);
    this.remember(key, view);
    return view;
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

  /** Copies that were silent longest go first where all hold too much: Redis has them. */
  private count({ log }: RedisView): void {
    if (!this.memory.note(log)) return;
    this.memory.makeRoom(new Map([...this.views].map(([key, view]) => [key, view.log])), (key) => this.drop(key));
  }

  private drop(key: string): void {
    const view = this.views.get(key);
    if (view !== undefined) this.memory.forget(view.log);
    this.views.delete(key);
  }

  private async flushEnd(key: string): Promise<void> {
    const principal = this.ends.get(key);
    if (principal === undefined || this.runId === null) return;
    const change: LogChange = { kind: 'end' };
    const isTheirs = principal === null || (await this.redis.hget(metaKey(key), 'principal')) === principal;
    if (isTheirs) await this.write(key, this.runId, 'ended', ['c', JSON.stringify(change)], null);
    this.ends.delete(key);
  }

  private async flushLosses(key: string): Promise<void> {
    await this.flushEnd(key);
    const lost = this.losses.get(key);
    if (lost === undefined || this.runId === null) return;
    for (const [stream, loss] of lost) {
      const change: LogChange = { kind: 'loss', stream, requestId: loss.requestId };
      await this.write(key, this.runId, '', ['c', JSON.stringify(change)], null);
      if (lost.get(stream) === loss) lost.delete(stream);
    }
    if (lost.size === 0 && this.losses.get(key) === lost) this.losses.delete(key);
  }

  /** Remembered until it is written: nothing of the session is read, judged or logged before. */
  private noteLoss(key: string, stream: string, requestId: string | null): void {
    const lost = this.losses.get(key) ?? new Map<string, Loss>();
    lost.set(stream, { requestId });
    this.losses.set(key, lost);
  }

  private async flushAll(): Promise<void> {
    for (const key of new Set([...this.losses.keys(), ...this.ends.keys()])) await this.flushLosses(key);
  }

  /** Connected, maybe to a Redis that was restarted: what was lost is said before this replica claims to be alive. */
  private async enter(): Promise<void> {
    try {
      const info = await this.redis.info('server');
      // Before anything can be logged under them, holds that Redis forgot are said again.
      await this.held.assertAll();
      this.runId = /run_id:(\S+)/.exec(info)?.[1] ?? null;
      await this.flushAll();
      await this.lease.readClock();
      this.renewLease();
      for (const incarnation of this.incarnations) await incarnation.enter();
    } catch (error) {
      this.runId = null;
      this.options.onError(error instanceof Error ? error : new Error(String(error)));
      this.redis.disconnect(true);
    }
  }

  private renewLease(): void {
    if (this.runId === null) return;
    this.held.releaseOver();
    if (this.losses.size + this.ends.size > 0) {
      this.tellLosses();
      return;
    }
    this.lease.renew().catch(() => undefined);
  }

  /** Until all that is owed is told, no lease is renewed: the others must not take what they read for complete. */
  private tellLosses(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.flushAll()
      .catch(this.options.onError)
      .finally(() => {
        this.isFlushing = false;
      });
  }

  private onMessage(channel: string, text: string): void {
    if (channel === releaseChannel(this.options.node)) {
      const [key, stream] = JSON.parse(text) as [string, string];
      this.release_(key, stream);
    } else for (const watcher of this.watchers.get(channel) ?? []) watcher();
  }
}
