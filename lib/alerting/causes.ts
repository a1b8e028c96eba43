import { isFinding } from '@/lib/alerting/measures';
import { causeOfFinding } from '@/lib/incidents/evidence';
import type { Cause } from '@/lib/incidents/incident';

const CAUSES: Readonly<Record<string, readonly Cause[]>> = {
  unsafe_resume: ['cross_session_replay', 'former_generation', 'skipped_events', 'unknown_cursor'],
  bad_replay: ['skipped_events', 'former_generation'],
  resume_unavailable: ['resume_unavailable'],
  over_refusal: ['resume_unavailable'],
  blind: ['blind'],
  telemetry_stopped: ['blind'],
};

/** What an incident that a measure speaks of can be about; none for measures that open no incident. */
export function causesOfMeasure(base: string): readonly Cause[] {
  if (!isFinding(base)) return CAUSES[base] ?? [];
  const cause = causeOfFinding(base);
  return cause === null ? [] : [cause];
}
