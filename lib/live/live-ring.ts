import type { LiveEvent, LiveTail } from '@/lib/query/live-events';
import { decide } from '@/lib/resume/decide';
import type { Decision } from '@/lib/resume/types';

/** What a page says it has heard last. */
export interface LiveCursor {
  readonly generation: string | null;
  readonly seq: bigint | null;
  /** As sent; null when absent. */
  readonly text: string | null;
}

/** What new events mean for those who are listening. */
export type RingChange = { readonly kind: 'more'; readonly events: readonly LiveEvent[] } | { readonly kind: 'rebuilt' | 'gap' };

/**
 * The retained end of the live feed in this process: contiguous events of one generation. Who comes back is judged
 * by the very rules that this product holds others to.
 */
export class LiveRing {
  readonly #max: number;
  #generation = '';
  #head = 0n;
  #events: LiveEvent[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get generation(): string {
    return this.#generation;
  }

  get head(): bigint {
    return this.#head;
  }

  /** Lowest retained number; one above the head when nothing is retained. */
  get floor(): bigint {
    return this.#events[0]?.seq ?? this.#head + 1n;
  }

  /** Takes in what follows the head; says what of it continues what was told before. */
  add({ generation, head, events }: LiveTail): RingChange {
    if (generation !== this.#generation || head < this.#head) {
      this.#replace(generation, head, events);
      return { kind: 'rebuilt' };
    }
    const fresh = events.filter(({ seq }) => seq > this.#head);
    const [first] = fresh;
    if (first === undefined) {
      // The head moved and none of it is retained any more.
      if (head === this.#head) return { kind: 'more', events: [] };
      this.#replace(generation, head, []);
      return { kind: 'gap' };
    }
    if (first.seq !== this.#head + 1n) {
      this.#replace(generation, head, fresh);
      return { kind: 'gap' };
    }
    this.#head = head;
    this.#events = [...this.#events, ...fresh].slice(-this.#max);
    return { kind: 'more', events: fresh };
  }

  /** What a returning page deserves. */
  judge({ generation, seq, text }: LiveCursor): Decision {
    return decide(
      { floor: 'successor' },
      { state: 'live', generation: this.#generation },
      { floor: this.floor, head: this.#head, holes: [], reused: [], coveredFrom: null },
      { cursor: seq, lastEventId: text, generation, protocolVersion: null },
    );
  }

  /** Retained events after a number. */
  after(seq: bigint): readonly LiveEvent[] {
    return this.#events.filter((event) => event.seq > seq);
  }

  #replace(generation: string, head: bigint, events: readonly LiveEvent[]): void {
    this.#generation = generation;
    this.#head = head;
    this.#events = events.slice(-this.#max);
  }
}
