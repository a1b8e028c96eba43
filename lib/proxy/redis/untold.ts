import type { Redis } from 'ioredis';
import type { LogChange } from '@/lib/proxy/log-store';
import { metaKey } from '@/lib/proxy/redis/keys';
import type { LogWriter } from '@/lib/proxy/redis/log-writer';

/** Events of a stream that were relayed and are not in the log. */
interface Loss {
  readonly requestId: string | null;
}

/** What happened to sessions while Redis could not be told. Remembered until it is written: nothing of a session is read, judged or logged before. */
export class Untold {
  /** Streams that relayed events which could not be logged, by session key. */
  private readonly losses = new Map<string, Map<string, Loss>>();
  /** Sessions that ended, and whose they have to be. */
  private readonly ends = new Map<string, string | null>();
  private telling: Promise<void> | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly writer: LogWriter,
  ) {}

  get isEmpty(): boolean {
    return this.losses.size + this.ends.size === 0;
  }

  noteLoss(key: string, stream: string, requestId: string | null): void {
    const lost = this.losses.get(key) ?? new Map<string, Loss>();
    lost.set(stream, { requestId });
    this.losses.set(key, lost);
  }

  /** Remembers what is so whether Redis can be told or not. */
  noteChange(key: string, change: LogChange): void {
    if (change.kind === 'end') this.ends.set(key, change.principal ?? null);
    if (change.kind === 'loss') this.noteLoss(key, change.stream, change.requestId);
    if (change.kind === 'unread' || change.kind === 'hole') this.noteLoss(key, change.stream, null);
  }

  /** The session begins anew: what happened to the one before no longer counts. */
  forget(key: string): void {
    this.losses.delete(key);
    this.ends.delete(key);
  }

  async tell(key: string, run: string): Promise<void> {
    await this.tellEnd(key, run);
    const lost = this.losses.get(key);
    if (lost === undefined) return;
    for (const [stream, loss] of lost) {
      await this.writer.change(key, run, { kind: 'loss', stream, requestId: loss.requestId });
      if (lost.get(stream) === loss) lost.delete(stream);
    }
    if (lost.size === 0 && this.losses.get(key) === lost) this.losses.delete(key);
  }

  /** Tells all of it; one at a time. */
  tellAll(run: string): Promise<void> {
    this.telling ??= this.tellEach(run).finally(() => {
      this.telling = null;
    });
    return this.telling;
  }

  private async tellEach(run: string): Promise<void> {
    for (const key of new Set([...this.losses.keys(), ...this.ends.keys()])) await this.tell(key, run);
  }

  private async tellEnd(key: string, run: string): Promise<void> {
    const principal = this.ends.get(key);
    if (principal === undefined) return;
    const isTheirs = principal === null || (await this.redis.hget(metaKey(key), 'principal')) === principal;
    if (isTheirs) await this.writer.change(key, run, { kind: 'end' });
    this.ends.delete(key);
  }
}
