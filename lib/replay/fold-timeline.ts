import { createTimeline } from '@/lib/replay/timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

/** A finding's place in the records; its own index in the list is what a step names. */
interface PlacedFinding {
  readonly index: number;
}

/**
 * The timeline of a history: every record in order with the state of its stream after it, in the wire's form
 * (contract section 6). A record's own order counts, `at` is only shown.
 */
export function foldTimeline(records: readonly TelemetryRecord[], findings: readonly PlacedFinding[] = []): TimelineStep[] {
  const byRecord = new Map<number, number[]>();
  for (const [finding, { index }] of findings.entries()) byRecord.set(index, [...(byRecord.get(index) ?? []), finding]);
  const steps: TimelineStep[] = [];
  for (const state of createTimeline(records).states()) {
    const index = steps.length;
    const record = records[index];
    if (record === undefined) break;
    steps.push({ index, at: instantText(record.at), record, state, findings: byRecord.get(index) ?? [] });
  }
  return steps;
}

/** RFC 3339 text in UTC; null when the record carries no instant. */
export function instantText(at: TelemetryRecord['at']): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
