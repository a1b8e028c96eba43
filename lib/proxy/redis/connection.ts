import { Redis } from 'ioredis';
import { StoreUnavailable } from '@/lib/proxy/log-store';

const COMMAND_TIMEOUT_MS = 1000;

/** The connections to Redis: one that asks, one that listens. Nothing is asked unless it is known which run of Redis answers. */
export class RedisConnection {
  readonly redis: Redis;
  readonly subscriber: Redis;
  private run: string | null = null;
  private readonly waiting: (() => void)[] = [];

  constructor(url: string, onError: (error: Error) => void) {
    const settings = { commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 200 };
    this.redis = new Redis(url, settings);
    this.subscriber = new Redis(url, { ...settings, enableOfflineQueue: true, maxRetriesPerRequest: null });
    for (const client of [this.redis, this.subscriber]) client.on('error', onError);
    this.redis.on('close', () => {
      this.run = null;
    });
  }

  /** Names the run of Redis; null while it cannot be asked. */
  get runId(): string | null {
    return this.run;
  }

  /** From now on it can be asked, and this is the run that answers. */
  opened(run: string | null): void {
    this.run = run;
    if (run !== null) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves once Redis can be asked. */
  async usable(): Promise<void> {
    while (this.run === null) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Works with Redis; whatever goes wrong there is `StoreUnavailable`. */
  async guarded<T>(work: (run: string) => Promise<T>): Promise<T> {
    const run = this.runId;
    if (run === null) throw new StoreUnavailable('the session log store is not connected');
    try {
      return await work(run);
    } catch (error) {
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(String(error), { cause: error });
    }
  }

  /** The same for what has to come of one run as a whole: of several, each may have numbered other changes alike. */
  inOneRun<T>(work: (run: string) => Promise<T>): Promise<T> {
    return this.guarded(async (run) => {
      const outcome = await work(run);
      if (this.runId !== run) throw new StoreUnavailable('the session log store went away meanwhile');
      return outcome;
    });
  }

  /** Asks which run of Redis it is that answers. */
  async readRun(): Promise<string | null> {
    return /run_id:(\S+)/.exec(await this.redis.info('server'))?.[1] ?? null;
  }

  reconnect(): void {
    this.run = null;
    this.redis.disconnect(true);
  }

  close(): void {
    this.redis.disconnect();
    this.subscriber.disconnect();
  }
}
