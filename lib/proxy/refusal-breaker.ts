const WINDOW_MS = 60_000;
/** Refusals of one session with a different cursor each, within the window, that make a storm. */
const ADVANCING_MAX = 8;
const ATTEMPTS_MIN = 50;
const RATE_FACTOR = 3;
const RATE_MIN = 0.5;

export interface RefusalStorm {
  readonly kind: 'advancing_cursor' | 'refusal_rate';
  readonly refused: number;
  readonly attempts: number;
}

/**
 * Notices enforcement that does harm: a client that makes progress and is refused again and again, or refusals far
 * above what shadow mode predicted. Refusals that a restart of the upstream explains are not its business; the
 * caller leaves them out, or a real restart would switch enforcement off when it is needed most.
 */
export class RefusalBreaker {
  private readonly recent: { at: number; isRefused: boolean }[] = [];
  private readonly cursors = new Map<string, { at: number; seen: Set<string> }>();
  private shadowAttempts = 0;
  private shadowRefusals = 0;

  /** What shadow mode would have done, the yardstick for the rate. */
  noteShadow(wouldRefuse: boolean): void {
    this.shadowAttempts++;
    if (wouldRefuse) this.shadowRefusals++;
  }

  get predictedRate(): number | null {
    return this.shadowAttempts < ATTEMPTS_MIN ? null : this.shadowRefusals / this.shadowAttempts;
  }

  note(session: string, cursor: string, isRefused: boolean, now: number): RefusalStorm | null {
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
    this.cursors.clear();
  }

  private isAdvancing(session: string, cursor: string, now: number): boolean {
    const known = this.cursors.get(session);
    if (known === undefined || now - known.at > WINDOW_MS) {
      this.cursors.delete(session);
      this.cursors.set(session, { at: now, seen: new Set([cursor]) });
      const [oldest] = this.cursors.keys();
      if (this.cursors.size > 10_000 && oldest !== undefined) this.cursors.delete(oldest);
      return false;
    }
    known.seen.add(cursor);
    return known.seen.size >= ADVANCING_MAX;
  }
}
