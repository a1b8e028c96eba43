import type { TelemetryRecord } from '@/lib/wire/schema';

/** Mean size of an event, from the emissions that tell their bytes and are of one event; null when none does. */
export function meanEventBytes(records: readonly TelemetryRecord[]): number | null {
  let [bytes, events] = [0, 0];
  for (const record of records) {
    if (record.type !== 'emit' || record.bytes === undefined || record.event_ids !== undefined || record.range !== undefined) continue;
    bytes += record.bytes;
    events += 1;
  }
  return events === 0 ? null : bytes / events;
}
