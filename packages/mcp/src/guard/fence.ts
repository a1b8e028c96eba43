const TOKENS_MAX = 10_000;

/**
 * Sessions whose client must not go on: after a refusal for a lost generation every later request under the
 * token gets 404, which is what makes clients initialize again. Bounded; the oldest fence falls first.
 */
export class Fence {
  readonly #tokens = new Set<string>();

  has(token: string | null): boolean {
    return token !== null && this.#tokens.has(token);
  }

  put(token: string): void {
    this.#tokens.add(token);
    for (const oldest of this.#tokens) {
      if (this.#tokens.size <= TOKENS_MAX) return;
      this.#tokens.delete(oldest);
    }
  }

  lift(token: string): void {
    this.#tokens.delete(token);
  }
}
