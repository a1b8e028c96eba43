import type { SignalMeasure } from '@/lib/alerting/measures';
import { Loop } from '@/lib/delivery/loop';

/**
 * Something that a part of the product noticed and no record shows. A rule on the measure `code` decides whether
 * and whom to tell; `detail` is one sentence for the person who reads the message, without secrets.
 */
export interface Signal {
  readonly code: SignalMeasure;
  readonly server: string;
  readonly reason: string;
  readonly detail: string;
}

export interface SignalQueueParts {
  readonly store: (signals: readonly Signal[], nowMs: number) => Promise<void>;
  readonly now: () => number;
  /** Called after signals were stored. */
  readonly onStored: () => void;
  readonly onError: (cause: unknown) => void;
}

/** Signals that wait for the database; the oldest give way, since the newest say how things stand. */
const WAITING_MAX = 100;
const DETAIL_MAX = 500;
const RETRY_MS = 2_000;

/** Takes signals from anywhere, at once and without ever failing, and stores them as soon as the database does. */
export class SignalQueue {
  readonly #parts: SignalQueueParts;
  readonly #loop: Loop;
  #waiting: Signal[] = [];

  constructor(parts: SignalQueueParts) {
    this.#parts = parts;
    this.#loop = new Loop({ run: () => this.#store(), intervalMs: RETRY_MS, spacingMs: 0, onError: parts.onError });
  }

  /** Never throws and never waits. */
  raise(signal: Signal): void {
    this.#waiting.push({ ...signal, detail: signal.detail.slice(0, DETAIL_MAX) });
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
    this.#loop.wake();
  }

  /** Stores what waits, once more; what cannot be stored now is lost with the process. */
  async close(): Promise<void> {
    await this.#loop.close();
    await this.#store().catch(this.#parts.onError);
  }

  async #store(): Promise<void> {
    const batch = [...this.#waiting];
    if (batch.length === 0) return;
    // Rules go by the instant at which something became known, so a late one is told late, not never.
    await this.#parts.store(batch, this.#parts.now());
    // Others may have come meanwhile, and the oldest may have given way to them.
    this.#waiting = this.#waiting.filter((signal) => !batch.includes(signal));
    this.#parts.onStored();
  }
}
