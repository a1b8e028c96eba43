import { randomBytes } from 'node:crypto';
import { applyChange, reopen } from '@/lib/proxy/apply-change';
import type { LogChange, NewSession, SessionLogStore } from '@/lib/proxy/log-store';
import { bySilence, type HeldMemory, MemoryBound } from '@/lib/proxy/memory-bound';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { type AppendResult, SessionLog } from '@/lib/session-log/session-log';

/** What is kept in memory at most; the sessions that were silent longest go first. */
export interface MemoryLimits {
  readonly sessions: number;
  /** Bytes of the logs of all sessions together. */
  readonly bytes: number;
}

export const MEMORY_LIMITS: MemoryLimits = { sessions: 100_000, bytes: 512 * 1024 * 1024 };

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
  private readonly memory: MemoryBound;
  private readonly sweep: NodeJS.Timeout;

  constructor(
    private readonly clock: () => number,
    private readonly limits: MemoryLimits = MEMORY_LIMITS,
  ) {
    this.memory = new MemoryBound(limits.bytes);
    this.sweep = setInterval(() => this.forgetSilent(), SWEEP_EVERY_MS);
    this.sweep.unref();
  }

  get memoryHeld(): HeldMemory {
    return this.memory.held(this.logs.size);
  }

  find(key: string): SessionLog | null {
    const log = this.logs.get(key);
    if (log === undefined) return null;
    const now = this.clock();
    log.askedAt = now;
    log.trim(now);
    this.memory.note(log);
    return log;
  }

  peek(key: string): SessionLog | null {
    return this.logs.get(key) ?? null;
  }

  begin(key: string, session: NewSession): SessionLog {
    const known = this.logs.get(key);
    if (known !== undefined && known.principal === session.principal) {
      reopen(known, session.isHeardFromStart);
      this.memory.note(known);
      known.incarnation = session.incarnation;
      known.instance = session.instance;
      return known;
    }
    if (known !== undefined) this.forget(key, known);
    const prefix = randomBytes(6).toString('hex');
    const log = new SessionLog(prefix, session.principal, session.isHeardFromStart, this.clock(), session.retention);
    log.incarnation = session.incarnation;
    log.instance = session.instance;
    if (this.logs.size >= this.limits.sessions) this.dropSilent();
    this.logs.set(key, log);
    return log;
  }

  append(key: string, stream: string, requestId: string | null, events: readonly NewEvent[]): readonly AppendResult[] {
    const log = this.logs.get(key);
    if (log === undefined || log.state !== 'live') return [];
    const results: AppendResult[] = [];
    for (const event of events) results.push(log.append(stream, requestId, event));
    if (this.memory.note(log)) this.makeRoom();
    return results;
  }

  change(key: string, change: LogChange): void {
    const log = this.logs.get(key);
    if (log === undefined) return;
    applyChange(log, change, this.clock());
    this.memory.note(log);
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

  async ready(): Promise<void> {
    // Memory always is.
  }

  async close(): Promise<void> {
    clearInterval(this.sweep);
    this.logs.clear();
  }

  private forgetSilent(): void {
    const now = this.clock();
    for (const [key, log] of this.logs) {
      log.trim(now);
      this.memory.note(log);
      if (now - log.lastAt > FORGET_AFTER_MS && log.listStreams().every((stream) => stream.retained === 0)) this.forget(key, log);
    }
  }

  /** Frames go first, and floors say so; then whole sessions, whose cursors are `generation_unknown` from then on. */
  private makeRoom(): void {
    const giveUp = (_key: string, log: SessionLog): void => {
      log.giveUp(0);
      this.memory.note(log);
    };
    this.memory.makeRoom(this.logs, giveUp, (key, log) => this.forget(key, log));
  }

  /** Makes room for more sessions than one, since it has to look at all. */
  private dropSilent(): void {
    const many = Math.max(1, Math.floor(this.limits.sessions / 100));
    for (const [key, log] of bySilence(this.logs).slice(0, many)) this.forget(key, log);
  }

  private forget(key: string, log: SessionLog): void {
    this.memory.forget(log);
    this.logs.delete(key);
  }
}
