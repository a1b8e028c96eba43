/** Between a half and one: the upper half of a pause is left to chance, so that servers do not come back together. */
const spread = (): number => 0.5 + Math.random() / 2;

/** A time before which nothing is sent; every sender of batches waits for the same one. */
export class Pause {
  #until = 0;
  #wake: () => void = () => undefined;

  constructor(
    private readonly baseMs: number,
    private readonly maxMs: number,
  ) {}

  get isOver(): boolean {
    return Date.now() >= this.#until;
  }

  /**
   * Begins a pause that doubles with every failure before it, and lasts at least `leastMs`: everybody was told to wait
   * for as long, so up to half as much is added by chance.
   */
  afterFailure(failuresBefore: number, leastMs: number): void {
    const backoffMs = Math.min(this.maxMs, this.baseMs * 2 ** Math.min(failuresBefore, 30)) * spread();
    this.#until = Date.now() + Math.max(leastMs * (0.5 + spread()), backoffMs);
  }

  /** Begins a pause of about `ms`. */
  about(ms: number): void {
    this.#until = Date.now() + ms * spread();
  }

  /** The next pause begins when it is asked for; one that is waited for goes on. */
  clear(): void {
    this.#until = 0;
  }

  /** Ends the pause at once. */
  end(): void {
    this.#until = 0;
    this.#wake();
  }

  /** Waits for its end. @param keepsAlive whether the process must not end meanwhile */
  wait(keepsAlive: boolean): Promise<void> {
    const ms = this.#until - Date.now();
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!keepsAlive) timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
