import { randomBytes } from 'node:crypto';
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
import type { HeldMemory } from '@/lib/proxy/memory-bound';
import { MEMORY_LIMITS } from '@/lib/proxy/memory-log-store';
import { ChangeFeed } from '@/lib/proxy/redis/change-feed';
import { RedisConnection } from '@/lib/proxy/redis/connection';
import { type HoldPlace, RedisHolds } from '@/lib/proxy/redis/holds';
import { RedisIncarnation } from '@/lib/proxy/redis/incarnation';
import { holdsKey, leaseKey, limits, releaseChannel, sessionKeys, ttl } from '@/lib/proxy/redis/keys';
import { RedisLease } from '@/lib/proxy/redis/lease';
import { LogCopies } from '@/lib/proxy/redis/log-copies';
import { LogWriter } from '@/lib/proxy/redis/log-writer';
import { RedisPeers } from '@/lib/proxy/redis/peers';
import { BEGIN_SCRIPT } from '@/lib/proxy/redis/scripts';
import { Untold } from '@/lib/proxy/redis/untold';
import type { NewEvent } from '@/lib/session-log/event-ring';
import type { AppendResult, SessionLog } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';

const LEASE_EVERY_MS = 500;

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
  private readonly connection: RedisConnection;
  private readonly copies: LogCopies;
  private readonly writer: LogWriter;
  private readonly untold: Untold;
  private readonly feed: ChangeFeed;
  private readonly incarnations: RedisIncarnation[] = [];
  private readonly lease: RedisLease;
  /** The run of Redis that the copies are of. */
  private run: string | null = null;
  private readonly leaseTimer: NodeJS.Timeout;
  private readonly held: RedisHolds;
  private release_: (key: string, stream: string) => void = () => undefined;

  constructor(private readonly options: RedisLogStoreOptions) {
    const { node, group = '', clock, retention, memoryBytes = MEMORY_LIMITS.bytes, onError } = options;
    this.connection = new RedisConnection(options.url, onError);
    const { redis, subscriber } = this.connection;
    this.lease = new RedisLease(redis, leaseKey(node));
    const isAlive = (other: string) => this.isReaderAlive(other);
    this.held = new RedisHolds({ redis, node, keyOf: holdsKey, ttlMs: ttl(retention), isAlive });
    this.copies = new LogCopies({ redis, clock, retention, memoryBytes });
    this.writer = new LogWriter({ redis, copies: this.copies, holds: this.held, lease: this.lease, retention });
    this.untold = new Untold(redis, this.writer);
    this.feed = new ChangeFeed(subscriber, onError);
    const peers = new RedisPeers({ redis, subscriber, node, group, onError });
    this.peers = { ask: (question) => this.guarded(() => peers.ask(question)), onAsk: (answer) => peers.onAsk(answer) };
    redis.on('ready', () => this.enter());
    this.leaseTimer = setInterval(() => this.renewLease(), LEASE_EVERY_MS);
    this.leaseTimer.unref();
    subscriber.subscribe(releaseChannel(node)).catch(onError);
    subscriber.on('message', (channel, text) => this.onMessage(channel, text));
  }

  /** Resolves once the store can be used, and which process each upstream is is known. */
  async ready(): Promise<void> {
    await this.connection.usable();
    for (const incarnation of this.incarnations) await incarnation.read();
  }

  get memoryHeld(): HeldMemory {
    return this.copies.memoryHeld;
  }

  async find(key: string): Promise<SessionLog | null> {
    const view = await this.connection.inOneRun(async (run) => {
      await this.untold.tell(key, run);
      return this.copies.synced(key, run);
    });
    if (view === null) return null;
    const now = this.options.clock();
    view.log.askedAt = now;
    view.log.trim(now);
    this.copies.count(view);
    return view.log;
  }

  peek(key: string): SessionLog | null {
    const { runId } = this.connection;
    return runId === null ? null : (this.copies.get(key, runId)?.log ?? null);
  }

  async begin(key: string, session: NewSession): Promise<SessionLog> {
    const view = await this.connection.inOneRun(async (run) => {
      const prefix = randomBytes(6).toString('hex');
      const heard = session.isHeardFromStart ? '1' : '0';
      const { principal, retention, incarnation, instance } = session;
      const kept = [JSON.stringify(retention), incarnation, instance ?? ''];
      const args = [run, limits(retention), ttl(retention), principal, heard, this.options.clock(), prefix, ...kept];
      await this.connection.redis.eval(BEGIN_SCRIPT, 4, ...sessionKeys(key), ...args);
      this.untold.forget(key);
      return this.copies.synced(key, run);
    });
    if (view === null) throw new StoreUnavailable('the session could not be begun');
    return view.log;
  }

  async append(key: string, stream: string, requestId: string | null, events: readonly NewEvent[]): Promise<readonly AppendResult[]> {
    try {
      return await this.connection.inOneRun(async (run) => {
        await this.untold.tell(key, run);
        return this.writer.append(key, run, { stream, requestId, events });
      });
    } catch (error) {
      this.untold.noteLoss(key, stream, requestId);
      await this.lease.runOut();
      throw error;
    }
  }

  async change(key: string, change: LogChange): Promise<void> {
    try {
      await this.connection.inOneRun((run) => this.writer.change(key, run, change));
    } catch (error) {
      this.untold.noteChange(key, change);
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
    return this.feed.watch(key, onChange);
  }

  followUpstream(upstream: string, onChange: (incarnation: Incarnation) => void): SharedIncarnation {
    const incarnation = new RedisIncarnation({ redis: this.connection.redis, node: this.options.node, upstream, onChange });
    this.incarnations.push(incarnation);
    return {
      read: () => this.guarded(() => incarnation.read()),
      began: (isCertain) => incarnation.began(isCertain),
    };
  }

  async isReaderAlive(node: string): Promise<boolean> {
    return this.guarded(async () => (await this.connection.redis.exists(leaseKey(node))) === 1);
  }

  async release(node: string, key: string, stream: string): Promise<void> {
    await this.guarded(() => this.connection.redis.publish(releaseChannel(node), JSON.stringify([key, stream])));
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
    this.connection.close();
  }

  private guarded<T>(work: (run: string) => Promise<T>): Promise<T> {
    return this.connection.guarded(work);
  }

  /** Connected, maybe to a Redis that was restarted: what was lost is said before this replica claims to be alive. */
  private async enter(): Promise<void> {
    const { connection } = this;
    try {
      const run = await connection.readRun();
      // Before anything can be logged under them, holds that Redis forgot are said again.
      await this.held.assertAll();
      // A Redis that was restarted may lack the last changes of the copies, under whose numbers others come.
      if (run !== this.run) this.copies.clear();
      this.run = run;
      connection.opened(run);
      if (run !== null) await this.untold.tellAll(run);
      await this.lease.readClock();
      this.renewLease();
      for (const incarnation of this.incarnations) await incarnation.enter();
    } catch (error) {
      this.options.onError(error instanceof Error ? error : new Error(String(error)));
      connection.reconnect();
    }
  }

  /** Until all that is owed is told, no lease is renewed: the others must not take what they read for complete. */
  private renewLease(): void {
    const { runId } = this.connection;
    if (runId === null) return;
    this.held.releaseOver();
    if (this.untold.isEmpty) this.lease.renew().catch(() => undefined);
    else this.untold.tellAll(runId).catch(this.options.onError);
  }

  private onMessage(channel: string, text: string): void {
    if (channel !== releaseChannel(this.options.node)) return;
    const [key, stream] = JSON.parse(text) as [string, string];
    this.release_(key, stream);
  }
}
