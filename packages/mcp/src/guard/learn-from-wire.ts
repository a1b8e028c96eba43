import type { SessionLedger } from '../ledger/session-ledger.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import type { WireEvent } from './sse-scanner.js';

/** A session of a store that cannot be watched: its events are learned as they go out. */
export function wireSession(token: string) {
  return { token, generation: undefined, restoredFrom: undefined, source: 'wire', seesEvictions: false, stampIds: false } as const;
}

/**
 * Enters the events of one connection as they go out. Where the book has forgotten ids, the oldest first, one that it
 * does not know may be an old one that is replayed: it is new only where it follows one that the book knows, or where
 * the connection began without a cursor.
 */
export class Deliveries {
  #followsKnown: boolean | null = null;

  /** @param cursor the event that the connection was resumed after; null where it began without one */
  constructor(private readonly cursor: string | null) {}

  /** Enters events, in order, and answers the records of those that are new. */
  enter(ledger: SessionLedger, stream: string, events: readonly WireEvent[]): TelemetryRecord[] {
    const learned: TelemetryRecord[] = [];
    for (const { id, digest } of events) {
      if (id === null) continue;
      if (ledger.options.source === 'wire' && this.#isLearned(ledger, stream, id))
        learned.push({ type: 'emit', ...ledger.names, stream, event_id: id, digest });
      ledger.delivered(id);
    }
    return learned;
  }

  #isLearned(ledger: SessionLedger, stream: string, id: string): boolean {
    this.#followsKnown ??= this.cursor === null || isKnown(ledger, this.cursor);
    if (isKnown(ledger, id)) {
      this.#followsKnown = true;
      return false;
    }
    const isNew = this.#followsKnown || ledger.find(id) === null;
    // What may be old is entered without a word, so that its client's next cursor is known.
    ledger.append(stream, id);
    return isNew;
  }
}

function isKnown(ledger: SessionLedger, id: string): boolean {
  const place = ledger.find(id);
  return place !== null && place !== undefined;
}
