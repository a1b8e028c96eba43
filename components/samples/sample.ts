import type { TelemetryRecord } from '@/lib/wire/schema';

/** A sample incident: a history that was observed in the field, ready to be sent as telemetry. */
export interface Sample {
  readonly id: 's01' | 's02';
  readonly server: string;
  readonly title: string;
  readonly story: string;
  /** The records with their clock beginning at `startMs`, each under an id from `newId`, of the session `token`. */
  readonly records: (startMs: number, token: string, newId: () => string) => TelemetryRecord[];
}

export interface Part {
  /** Milliseconds after the start. */
  readonly after: number;
  readonly record: TelemetryRecord;
}

/** Puts parts on the clock and under one server, node and session. */
export function placeParts(parts: readonly Part[], server: string, startMs: number, token: string, newId: () => string): TelemetryRecord[] {
  return [...parts]
    .sort((a, b) => a.after - b.after)
    .map(({ after, record }) => {
      const placed = { ...record, id: newId(), at: new Date(startMs + after).toISOString(), server, node: 'n1' };
      return record.type === 'boot' ? placed : { ...placed, session: token };
    });
}

/** A run of events from `first` to `last` emitted one after the other between two moments. */
export function emitRun(first: number, last: number, from: number, to: number, record: (position: number) => TelemetryRecord): Part[] {
  const count = last - first + 1;
  return Array.from({ length: count }, (_, index) => ({
    after: Math.round(from + ((to - from) * index) / Math.max(1, count - 1)),
    record: record(first + index),
  }));
}
