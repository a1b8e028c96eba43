import type { SessionLedger } from '../ledger/session-ledger.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import type { WireEvent } from './sse-scanner.js';

/** A session of a store that cannot be watched: its events are learned as they go out. */
export function wireSession(token: string) {
  return { token, generation: undefined, restoredFrom: undefined, source: 'wire', seesEvictions: false, stampIds: false } as const;
}

/** Enters events that went out, and answers the records of those that nobody knew before. */
export function enterDeliveries(ledger: SessionLedger, stream: string, events: readonly WireEvent[]): TelemetryRecord[] {
  const learned: TelemetryRecord[] = [];
  for (const { id } of events) {
    if (id === null) continue;
    if (ledger.options.source === 'wire' && ledger.find(id) === null) {
      ledger.append(stream, id);
      learned.push({ type: 'emit', ...ledger.names, stream, event_id: id });
    }
    ledger.delivered(id);
  }
  return learned;
}
