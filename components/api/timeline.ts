import type { TelemetryRecord } from '@/lib/wire/schema';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

/** A step of a timeline whose record has its type back. */
export type Step = Omit<TimelineStep, 'record'> & { readonly record: TelemetryRecord };

/** Steps as the API answers them, their records typed: it answers only what the intake validated. */
export function typedSteps(steps: readonly TimelineStep[]): readonly Step[] {
  return steps as unknown as readonly Step[];
}
