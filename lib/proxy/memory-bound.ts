import type { SessionLog } from '@/lib/session-log/session-log';

/** What a process holds of session logs. */
export interface HeldMemory {
  readonly bytes: number;
  readonly bytesMax: number;
  readonly sessions: number;
  /** Events that were given up since the process started, because a session or the process held too much. */
  readonly givenUp: number;
}

/** The share of the bound that is freed at a time: what is silent is looked for among all. */
const SLACK = 8;

interface Counted {
  bytes: number;
  givenUp: number;
}

/**
 * Keeps what all session logs of a process hold together within bounds. Where they are reached, the sessions that were
 * silent longest give up first, whenever they were created.
 */
export class MemoryBound {
  private readonly counted = new WeakMap<SessionLog, Counted>();
  private bytes = 0;
  private givenUp = 0;
  /** Where nothing could be freed any more, it is tried again beyond this. */
  private tryAbove = 0;

  constructor(private readonly bytesMax: number) {}

  held(sessions: number): HeldMemory {
    return { bytes: this.bytes, bytesMax: this.bytesMax, sessions, givenUp: this.givenUp };
  }

  /** A log may hold more or less than before. True when all together hold too much. */
  note(log: SessionLog): boolean {
    const known = this.counted.get(log);
    if (known === undefined) {
      this.counted.set(log, { bytes: log.held, givenUp: log.givenUp });
      this.bytes += log.held;
    } else {
      this.bytes += log.held - known.bytes;
      this.givenUp += log.givenUp - known.givenUp;
      known.bytes = log.held;
      known.givenUp = log.givenUp;
    }
    return this.bytes > Math.max(this.bytesMax, this.tryAbove);
  }

  /** A log is held no longer. */
  forget(log: SessionLog): void {
    this.bytes -= this.counted.get(log)?.bytes ?? 0;
    this.counted.delete(log);
  }

  /** Has the longest silent ones free what they can, one way after the other, until there is room again. */
  makeRoom(logs: ReadonlyMap<string, SessionLog>, ...ways: readonly ((key: string, log: SessionLog) => void)[]): void {
    const slack = this.bytesMax / SLACK;
    for (const free of ways) {
      for (const [key, log] of bySilence(logs)) {
        if (this.bytes <= this.bytesMax - slack) return;
        if (log.held > 0) free(key, log);
      }
    }
    this.tryAbove = this.bytes > this.bytesMax ? this.bytes + slack : 0;
  }
}

/** Those that were silent longest come first. */
export const bySilence = (logs: ReadonlyMap<string, SessionLog>): (readonly [string, SessionLog])[] =>
  [...logs].sort(([, a], [, b]) => a.silentSince - b.silentSince);
