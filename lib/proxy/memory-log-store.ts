import { randomBytes } from 'node:crypto';
import { applyChange, reopen } from '@/lib/proxy/apply-change';
import type { LogChange, NewSession, SessionLogStore } from '@/lib/proxy/log-store';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { type AppendResult, SessionLog } from '@/lib/session-log/session-log';

/** Sessions kept in memory; the one that was silent longest goes first. */
export const SESSIONS_MAX = 100_000;
const SWEEP_EVERY_MS = 30_000;
/** An ended or silent session is remembered this long, so that its cursors are refused by name. */
const FORGET_AFTER_MS = 60 * 60_000;

/** Session logs of this process alone. A restart forgets them, which later shows as `generation_unknown`. */
export class MemoryLogStore implements SessionLogStore {
  readonly isShared = false;
  readonly holds = null;
  readonly followUpstream = null;
  readonly peers = null;
  private readonly logs = new Map<string, SessionLog>();
  private readonly sweep: NodeJS.Timeout;

  constructor(private readonly clock: () => number) {
    this.sweep = setInterval(() => this.forgetSilent(), SWEEP_EVERY_MS);
    this.sweep.unref();
  }

  find(key: string): SessionLog | null {
    const log = this.logs.get(key);
    log?.trim(this.clock());
    return log ?? null;
  }

  begin(key: string, session: NewSession): SessionLog {
    const known = this.logs.get(key);
    if (known !== undefined && known.principal === session.principal) {
      reopen(known, session.isHeardFromStart);
      known.incarnation = session.incarnation;
      known.instance = session.instance;
      return known;
    }
    const prefix = randomBytes(6).toString('hex');
    const log = new SessionLog(prefix, session.principal, session.isHeardFromStart, this.clock(), session.retention);
    log.incarnation = session.incarnation;
    log.instance = session.instance;
    this.logs.delete(key);
    this.logs.set(key, log);
    if (this.logs.size > SESSIONS_MAX) this.dropOldest();
    return log;
  }

  append(key: string, stream: string, requestId: string | null, events: readonly NewEvent[]): readonly AppendResult[] {
    const log = this.logs.get(key);
    if (log === undefined || log.state !== 'live') return [];
    const results: AppendResult[] = [];
    for (const event of events) results.push(log.append(stream, requestId, event));
    return results;
  }

  change(key: string, change: LogChange): void {
    const log = this.logs.get(key);
    if (log !== undefined) applyChange(log, change, this.clock());
  }

  watch(): null {
    return null;
  }

  isReaderAlive(): boolean {
    return false;
  }

  release(): void {
    // No other process shares this memory.
  }

  onRelease(): void {
    // Never asked.
  }

  async close(): Promise<void> {
    clearInterval(this.sweep);
    this.logs.clear();
  }

  private forgetSilent(): void {
    const now = this.clock();
    for (const [key, log] of this.logs) {
      log.trim(now);
      if (now - log.lastAt > FORGET_AFTER_MS && log.listStreams().every((stream) => stream.retained === 0)) this.logs.delete(key);
    }
  }

  private dropOldest(): void {
    const [oldest] = this.logs.keys();
    if (oldest !== undefined) this.logs.delete(oldest);
  }
}
