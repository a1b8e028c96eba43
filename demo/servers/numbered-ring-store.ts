import type { EventStoreLike } from '@/packages/mcp/src/index';

interface Stored<M> {
  readonly id: string;
  readonly stream: string;
  readonly message: M;
}

/**
 * A store as it is often written: numbers from 1, a ring over all streams, and a replay of "everything with a
 * larger number that is still here". It never refuses: what the ring has lost is left out in silence.
 */
export class NumberedRingStore<M = unknown> implements EventStoreLike<M> {
  #events: Stored<M>[] = [];
  #issued = 0;
  readonly #streams = new Map<string, string>();

  constructor(private readonly size: number) {}

  async storeEvent(streamId: string, message: M): Promise<string> {
    this.#issued += 1;
    const id = String(this.#issued);
    this.#streams.set(id, streamId);
    this.#events.push({ id, stream: streamId, message });
    this.#events = this.#events.slice(-this.size);
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#streams.get(eventId);
  }

  async replayEventsAfter(lastEventId: string, { send }: { send: (eventId: string, message: M) => Promise<void> }): Promise<string> {
    const stream = this.#streams.get(lastEventId) ?? '';
    for (const event of this.#events) {
      if (event.stream === stream && Number(event.id) > Number(lastEventId)) await send(event.id, event.message);
    }
    return stream;
  }

  /** Whether the ring still holds the event. */
  has(eventId: string): boolean {
    return this.#events.some((event) => event.id === eventId);
  }
}
