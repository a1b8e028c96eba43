import type { ByteBudget, ByteLease } from '@/lib/http/byte-budget';
import { HttpError } from '@/lib/http/http-error';

/**
 * The bytes of one answer, from when it is known that they will be needed until its reader has taken them. They are of the room that all
 * answers share, in which no caller may hold more than is free.
 */
export class AnswerRoom {
  readonly #lease: ByteLease;
  readonly #refusal: 'busy' | 'intake_full';
  #held = 0;
  #isClosed = false;

  /** @param refusal what a caller is told who has no room left */
  constructor(answers: ByteBudget, party: string, refusal: 'busy' | 'intake_full') {
    this.#lease = answers.lease(party);
    this.#refusal = refusal;
  }

  /**
   * Takes so many bytes more.
   *
   * @throws HttpError when there is no room for them: the caller leaves too much unread, or is gone
   */
  hold(bytes: number): void {
    if (this.#isClosed) throw new HttpError(this.#refusal, 'nobody is there to read the answer');
    if (!this.#lease.take(bytes)) throw new HttpError(this.#refusal, 'too much that was answered waits to be read');
    this.#held += bytes;
  }

  /** Holds as many bytes as the answer turned out to have. @throws HttpError as `hold` does */
  settle(bytes: number): void {
    if (bytes > this.#held) this.hold(bytes - this.#held);
    this.#lease.give(this.#held - bytes);
    this.#held = bytes;
  }

  /** Gives everything back, now that the answer was read or nobody is there to read it, and takes nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#lease.release();
    this.#held = 0;
  }
}
