import type { TelemetryRecord } from '@/lib/wire/schema';

export interface SessionEntry {
  readonly key: string;
  readonly session: string | null;
  /** Receipt of its newest record, epoch milliseconds. */
  heardMs: number;
  /** How many of its silences were looked at. */
  stage: number;
  /** Records of the server that were heard when it was settled last. */
  settledAt: number;
  /** Ended, evicted or superseded. */
  isOver: boolean;
}

const MINUTE_MS = 60_000;
/** Silences after which a session is looked at again, since rules wait for 5 and 30 minutes (contract section 5). */
const LATER_MS = [5 * MINUTE_MS, 30 * MINUTE_MS];
/** A session that ended is forgotten when nothing was heard of its token for so long; any other one later. */
const FORGET_OVER_MS = 45 * MINUTE_MS;
const FORGET_MS = 120 * MINUTE_MS;
/** Sessions of which one look is taken at a time. */
const DUE_MAX = 2_000;

interface Written {
  readonly sessions: readonly (readonly [session: string | null, heardMs: number, stage: number, isOver: boolean])[];
  readonly newestAtMs: number | null;
  readonly newestHeardMs: number;
  readonly heardMs: number;
}

/** Which sessions of a server were heard of, when, and whose silence is due to be looked at. */
export class SessionBook {
  readonly #limits: { readonly settleMs: number; readonly sessionsMax: number };
  /** In the order in which they were heard last, the longest silent first. */
  readonly #sessions = new Map<string, SessionEntry>();
  #heard = 0;
  #heardMs = 0;
  #newestAtMs: number | null = null;
  #newestHeardMs = 0;

  constructor(limits: { readonly settleMs: number; readonly sessionsMax: number }, written: string | null) {
    this.#limits = limits;
    if (written === null) return;
    // Written by `write` and by nothing else.
    const book = JSON.parse(written) as Written;
    this.#newestAtMs = book.newestAtMs;
    this.#newestHeardMs = book.newestHeardMs;
    this.#heardMs = book.heardMs;
    for (const [session, heardMs, stage, isOver] of book.sessions) {
      const key = keyOf(session);
      this.#sessions.set(key, { key, session, heardMs, stage, settledAt: -1, isOver });
    }
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @param atMs the record's own instant, null where it has none */
  hear(record: TelemetryRecord, receivedAtMs: number, atMs: number | null): void {
    this.#heard++;
    this.#heardMs = Math.max(this.#heardMs, receivedAtMs);
    if (atMs !== null && (this.#newestAtMs === null || atMs > this.#newestAtMs)) {
      this.#newestAtMs = atMs;
      this.#newestHeardMs = receivedAtMs;
    }
    if (record.type === 'boot') return;
    const session = record.session === undefined ? 'S1' : record.session;
    const key = keyOf(session);
    const former = this.#sessions.get(key);
    const isOver = record.type === 'session' ? record.event !== 'created' && record.event !== 'restored' : (former?.isOver ?? false);
    const entry = { key, session, heardMs: Math.max(receivedAtMs, former?.heardMs ?? 0), stage: 0, settledAt: -1, isOver };
    this.#sessions.delete(key);
    this.#sessions.set(key, entry);
  }

  /** Whether nothing was heard of the whole server for the time of a settlement. */
  isServerSilent(nowMs: number): boolean {
    return nowMs - this.#heardMs >= this.#limits.settleMs;
  }

  /** The time of the records at `nowMs` by our clock; null while no record had one. */
  recordTimeAt(nowMs: number): number | null {
    return this.#newestAtMs === null ? null : this.#newestAtMs + Math.max(0, nowMs - this.#newestHeardMs);
  }

  /** Sessions to be settled now, and those to be settled and then forgotten. */
  takeDue(nowMs: number): { readonly due: readonly SessionEntry[]; readonly forgotten: readonly SessionEntry[] } {
    const due: SessionEntry[] = [];
    const forgotten: SessionEntry[] = [];
    const isServerSilent = this.isServerSilent(nowMs);
    let surplus = this.#sessions.size - this.#limits.sessionsMax;
    for (const entry of this.#sessions.values()) {
      if (due.length + forgotten.length >= DUE_MAX) break;
      const silentMs = nowMs - entry.heardMs;
      if (surplus > 0 || silentMs >= (entry.isOver ? FORGET_OVER_MS : FORGET_MS)) {
        surplus--;
        forgotten.push(entry);
      } else if (this.#isDue(entry, silentMs, isServerSilent)) due.push(entry);
      // Sorted by silence: whoever follows was heard even later.
      else if (silentMs < this.#limits.settleMs) break;
    }
    for (const entry of due) entry.settledAt = this.#heard;
    for (const { key } of forgotten) this.#sessions.delete(key);
    return { due, forgotten };
  }

  /** Everything as one line of text. */
  write(): string {
    const written: Written = {
      sessions: [...this.#sessions.values()].map(({ session, heardMs, stage, isOver }) => [session, heardMs, stage, isOver]),
      newestAtMs: this.#newestAtMs,
      newestHeardMs: this.#newestHeardMs,
      heardMs: this.#heardMs,
    };
    return JSON.stringify(written);
  }

  /** Its silence reached the next length; or the server fell silent and its time had gone on since the last look. */
  #isDue(entry: SessionEntry, silentMs: number, isServerSilent: boolean): boolean {
    const stages = this.#limits.settleMs <= silentMs ? 1 + LATER_MS.filter((ms) => silentMs >= ms + this.#limits.settleMs).length : 0;
    const isNextStage = stages > entry.stage;
    entry.stage = Math.max(entry.stage, stages);
    return isNextStage || (isServerSilent && entry.settledAt !== this.#heard);
  }
}

const keyOf = (session: string | null): string => (session === null ? 'none' : `=${session}`);
