import type { TelemetryRecord } from '@/lib/wire/schema';

/** The stream a record speaks of; null for what speaks of the whole session or process. */
export function streamOf(record: TelemetryRecord): string | null {
  return record.type === 'boot' || record.type === 'session' ? null : (record.stream ?? 'get');
}

/** Whether a record belongs in the picture of a stream: its own records, and those of the whole session. */
export function isOfStream(record: TelemetryRecord, stream: string): boolean {
  return (streamOf(record) ?? stream) === stream;
}
