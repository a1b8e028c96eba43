import type { Redis } from 'ioredis';
import type { LogChange } from '@/lib/proxy/log-store';
import type { RedisHolds } from '@/lib/proxy/redis/holds';
import { baseText, changeChannel, limits, noteOf, sessionKeys, ttl } from '@/lib/proxy/redis/keys';
import type { RedisLease } from '@/lib/proxy/redis/lease';
import type { LogCopies } from '@/lib/proxy/redis/log-copies';
import { type AppendOp, encodeAppend } from '@/lib/proxy/redis/log-view';
import { CHANGE_SCRIPT } from '@/lib/proxy/redis/scripts';
import type { AppendResult } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';

const OVER: Partial<Record<LogChange['kind'], string>> = { fence: 'fenced', end: 'ended' };
/** Answers of the script. */
const NOT_HELD = -3;

export interface LogWriterOptions {
  readonly redis: Redis;
  readonly copies: LogCopies;
  readonly holds: RedisHolds;
  readonly lease: RedisLease;
  /** Retention of a session that does not say its own. */
  readonly retention: Retention;
}

/** What goes into a log in one atomic step. */
interface Entry {
  readonly fields: readonly (string | Buffer)[];
  /** State of the session from then on; empty where it stays. */
  readonly state?: string;
  readonly own?: AppendOp;
  /** How the stream has to be held; empty where nobody needs to. */
  readonly hold?: string;
  readonly note?: readonly [string, string];
  /** What this replica's copy shows of ids that came again, up to the change with that number. */
  readonly seen?: { readonly known: number; readonly isAgain: boolean };
}

/** Writes to the logs in Redis, events under the hold of whoever is served their stream here. */
export class LogWriter {
  constructor(private readonly options: LogWriterOptions) {}

  /**
   * Appends events in order, all or none. A process that stood still may read the answer long after it was given: beyond its lease it
   * asks again, so that nothing is written to a client that another replica serves by now.
   */
  async append(key: string, run: string, own: AppendOp): Promise<readonly AppendResult[]> {
    const { copies, holds, lease } = this.options;
    const before = holds.of(key, own.stream);
    const view = copies.get(key, run) ?? (await copies.synced(key, run));
    if (view === null || before?.isLost === true) return [];
    const hold = holds.of(key, own.stream);
    const isAgain = !view.isNotedAgain && (view.hasUnnotedAgain || view.comesAgain(own));
    const seen = { known: view.last, isAgain };
    const results = await this.write(key, run, { fields: encodeAppend(own), own, seen, hold: hold?.text ?? '' });
    if (isAgain && results !== null) view.isNotedAgain = true;
    if (results === null) hold?.lose();
    else if (hold !== null && !lease.isHeld) await hold.verify();
    return results ?? [];
  }

  async change(key: string, run: string, change: LogChange): Promise<void> {
    await this.write(key, run, { fields: ['c', JSON.stringify(change)], state: OVER[change.kind] ?? '', note: noteOf(change) });
  }

  /** Null where the stream is no longer held as said. */
  private async write(key: string, run: string, entry: Entry): Promise<readonly AppendResult[] | null> {
    const { redis, copies, retention } = this.options;
    const { fields, own, state = '', hold = '', note = ['', ''], seen } = entry;
    const kept = [run, limits(retention), ttl(retention), changeChannel(key)];
    const base = copies.get(key, run)?.tellsBase() ?? null;
    const told = [seen?.known ?? '', seen?.isAgain === true ? '1' : '', base === null ? '' : baseText(base)];
    const args = [...kept, state, own?.stream ?? '', hold, ...note, ...told, ...fields];
    const seq = Number(await redis.eval(CHANGE_SCRIPT, 4, ...sessionKeys(key), ...args));
    if (seq === NOT_HELD) return null;
    if (seq < 0) return [];
    const view = copies.get(key, run);
    if (own !== undefined && view !== undefined && view.last === seq - 1) {
      view.last = seq;
      const results = view.append(own);
      copies.count(view);
      return results;
    }
    let results: readonly AppendResult[] = [];
    await copies.synced(key, run, (at, applied) => {
      if (at === seq) results = applied;
    });
    return results;
  }
}
