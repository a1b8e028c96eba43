import type { TelemetryRecord } from '../telemetry/record.js';
import type { WireEvent } from './sse-scanner.js';

const LF = 10;
const CR = 13;
const COLON = 58;

/** Whether a piece of an event stream ends where an event does, so that the next one begins anew. */
export function endsWhole(bytes: Uint8Array | string): boolean {
  const { length } = bytes;
  const at = (back: number) => (typeof bytes === 'string' ? bytes.charCodeAt(length - back) : bytes[length - back]);
  if (length < 2) return false;
  const last = at(1);
  if (last === LF) return at(2) === LF || (length >= 4 && at(2) === CR && at(3) === LF && at(4) === CR);
  // A CR may be the first half of a line end whose second half comes with the next piece.
  return false;
}

/** Whether a piece of an event stream begins with a comment. */
export function beginsWithComment(bytes: Uint8Array | string): boolean {
  return (typeof bytes === 'string' ? bytes.charCodeAt(0) : bytes[0]) === COLON;
}

type Common = Pick<TelemetryRecord, 'session' | 'generation' | 'stream' | 'protocol_version'> & { readonly conn: string };

/** What was written to a connection, as records: events with an id, and events without one. */
export function deliveries(common: Common, events: readonly WireEvent[]): readonly TelemetryRecord[] {
  const named = events.filter((event): event is WireEvent & { id: string } => event.id !== null);
  const nameless = events.filter((event) => event.id === null);
  const records: TelemetryRecord[] = [];
  if (named.length > 0)
    records.push({
      type: 'deliver',
      ...common,
      event_ids: named.map(({ id }) => id),
      digests: named.map(({ digest }) => digest),
    });
  if (nameless.length > 0)
    records.push({ type: 'deliver', ...common, event_ids: [], digests: nameless.map(({ digest }) => digest), without_id: true });
  return records;
}
