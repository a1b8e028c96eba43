export interface LoopParts {
  readonly run: () => Promise<void>;
  /** Pause between runs when nobody wakes the loop. */
  readonly intervalMs: number;
  /** Shortest time from one start to the next, however often the loop is woken. */
  readonly spacingMs: number;
  /** Share of the time that runs may take: a slow one is followed by a longer pause. Half, unless given. */
  readonly busyShare?: number;
  /** Longest pause that a slow run is followed by; a single one, such as the first, must not hold up all after it. None unless given. */
  readonly pauseMaxMs?: number;
  /** Told of a run that failed; the loop goes on. */
  readonly onError: (cause: unknown) => void;
}

const BUSY_SHARE = 0.5;

/** Runs one thing again and again, never twice at a time: at intervals, and sooner when woken. */
export class Loop {
  readonly #parts: LoopParts;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isClosed = false;
  #earliest = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#schedule(0);
  }

  /** Asks for a run soon. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isWoken = true;
    if (this.#running === null) this.#schedule(0);
  }

  /** Waits for the run that is under way; none follows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(delayMs, this.#earliest - performance.now());
    this.#timer = setTimeout(() => this.#start(), wait);
    this.#timer.unref();
  }

  #start(): void {
    this.#isWoken = false;
    const started = performance.now();
    this.#running = this.#parts
      .run()
      .catch(this.#parts.onError)
      .finally(() => {
        this.#running = null;
        const { spacingMs, busyShare = BUSY_SHARE, pauseMaxMs = Number.POSITIVE_INFINITY } = this.#parts;
        const tookMs = performance.now() - started;
        this.#earliest = started + Math.max(spacingMs, Math.min(tookMs / busyShare, tookMs + pauseMaxMs));
        this.#schedule(this.#isWoken ? 0 : this.#parts.intervalMs);
      });
  }
}
