import { FENCING_REASONS } from '@/lib/proxy/refusal';
import type { Decision } from '@/lib/resume/types';

const WINDOW_MS = 60_000;
/** Refusals of one session with a later cursor each, within the window, that make a storm. */
const ADVANCING_MAX = 8;
const ATTEMPTS_MIN = 50;
const RATE_FACTOR = 3;
const RATE_MIN = 0.5;

export interface RefusalStorm {
  readonly kind: 'advancing_cursor' | 'refusal_rate';
  readonly refused: number;
  readonly attempts: number;
}

/** What days in shadow say of the refusals to come. */
export interface Foretold {
  readonly attempts: number;
  readonly refusals: number;
}

/**
 * Whether the breaker counts a decision: a resume that is served, or a refusal that neither a restart nor the end of the
 * session explains. Those are what enforcement is for.
 */
export function isOfBreaker({ verdict, status, reason }: Pick<Decision, 'verdict' | 'status' | 'reason'>): boolean {
  return verdict === 'resume' || (verdict === 'refuse' && status === 409 && !FENCING_REASONS.has(reason));
}

/** A cursor as the log sees it. */
export interface SeenCursor {
  readonly text: string;
  /** Null where the log cannot place it. */
  readonly position: bigint | null;
  /** Events of the stream that the log held and holds no more. */
  readonly evicted: bigint;
}

interface Progress {
  readonly since: number;
  position: bigint;
  readonly unplaced: Set<string>;
  refused: number;
}

/**
 * Notices enforcement that does harm: a client that makes progress and is refused again and again, or refusals far
 * above what shadow mode predicted. Refusals that a restart of the upstream explains are not its business; the
 * caller leaves them out, or a real restart would switch enforcement off when it is needed most.
 */
export class RefusalBreaker {
  private readonly recent: { at: number; isRefused: boolean }[] = [];
  private readonly sessions = new Map<string, Progress>();
  /** What this process saw in shadow by itself. */
  private seen: Foretold = { attempts: 0, refusals: 0 };
  /** What is stored of the route's days in shadow, those of this process included. */
  private stored: Foretold = { attempts: 0, refusals: 0 };

  /** What shadow mode would have done, the yardstick for the rate. */
  noteShadow(wouldRefuse: boolean): void {
    this.seen = { attempts: this.seen.attempts + 1, refusals: this.seen.refusals + Number(wouldRefuse) };
  }

  foretell(stored: Foretold): void {
    this.stored = stored;
  }

  /** Share of attempts that shadow would have refused, by whichever saw more; null where both saw too few to tell. */
  get predictedRate(): number | null {
    const { attempts, refusals } = this.stored.attempts > this.seen.attempts ? this.stored : this.seen;
    return attempts < ATTEMPTS_MIN ? null : refusals / attempts;
  }

  /**
   * Notes a resume that was accepted or refused. A cursor that the log cannot place may be of an event that it held
   * once; but no client has more of those than there were, and whoever makes cursors up does not advance.
   */
  note(session: string, cursor: SeenCursor, isRefused: boolean, now: number): RefusalStorm | null {
    this.recent.push({ at: now, isRefused });
    while ((this.recent[0]?.at ?? now) < now - WINDOW_MS || this.recent.length > 10_000) this.recent.shift();
    const refused = this.recent.reduce((count, one) => count + Number(one.isRefused), 0);
    const attempts = this.recent.length;
    if (isRefused && this.isAdvancing(session, cursor, now)) return { kind: 'advancing_cursor', refused, attempts };
    const limit = Math.max(RATE_MIN, RATE_FACTOR * (this.predictedRate ?? 0));
    return attempts >= ATTEMPTS_MIN && refused / attempts > limit && this.predictedRate !== null
      ? { kind: 'refusal_rate', refused, attempts }
      : null;
  }

  reset(): void {
    this.recent.length = 0;
    this.sessions.clear();
  }

  private isAdvancing(session: string, { text, position, evicted }: SeenCursor, now: number): boolean {
    const known = this.progressOf(session, now);
    if (position !== null) {
      if (position <= known.position) return false;
      known.position = position;
    } else {
      if (known.unplaced.has(text) || BigInt(known.unplaced.size) >= evicted) return false;
      known.unplaced.add(text);
    }
    known.refused++;
    return known.refused >= ADVANCING_MAX;
  }

  private progressOf(session: string, now: number): Progress {
    const known = this.sessions.get(session);
    if (known !== undefined && now - known.since <= WINDOW_MS) return known;
    const fresh = { since: now, position: -1n, unplaced: new Set<string>(), refused: 0 };
    this.sessions.delete(session);
    this.sessions.set(session, fresh);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > 10_000 && oldest !== undefined) this.sessions.delete(oldest);
    return fresh;
  }
}
