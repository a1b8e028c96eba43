import type { RuleInput } from '@/lib/alerting/rule';
import type { Inhibition } from '@/lib/alerting/silence';

const HOUR_S = 3600;

/**
 * Rules that are on without being asked for. Those that page (`critical`) stand for a proven loss or a leak and
 * fire at once; the others wait until a state has lasted. All keep firing for a while, so that an intermittent
 * fault is one notification.
 */
export const PRESET_RULES: readonly RuleInput[] = [
  { name: 'unsafe-resume', measure: 'unsafe_resume', threshold: 1, group_by: ['server'], keep_firing_s: 900, severity: 'critical' },
  {
    name: 'cross-session-replay',
    measure: 'cross_session_replay',
    threshold: 1,
    group_by: ['server'],
    keep_firing_s: 900,
    severity: 'critical',
  },
  { name: 'gap', measure: 'gap', threshold: 1, group_by: ['server'], window_s: 600, keep_firing_s: 900, severity: 'error' },
  {
    name: 'former-generation',
    measure: 'cross_generation_replay',
    threshold: 1,
    group_by: ['server'],
    window_s: 600,
    keep_firing_s: 900,
    severity: 'error',
  },
  { name: 'bad-replay', measure: 'bad_replay', threshold: 1, group_by: ['server'], keep_firing_s: 900, severity: 'error' },
  { name: 'lost-response', measure: 'lost_response', threshold: 1, group_by: ['server'], keep_firing_s: 900, severity: 'error' },
  {
    name: 'duplicate-execution',
    measure: 'possible_duplicate_execution',
    threshold: 1,
    group_by: ['server'],
    keep_firing_s: 900,
    severity: 'error',
  },
  { name: 'id-reused', measure: 'id_reused', threshold: 1, group_by: ['server'], keep_firing_s: 900, severity: 'error' },
  {
    name: 'resume-unavailable',
    measure: 'resume_unavailable',
    threshold: 10,
    group_by: ['server'],
    window_s: 600,
    for_s: 120,
    keep_firing_s: 900,
    severity: 'error',
  },
  { name: 'refusal-storm', measure: 'over_refusal', threshold: 10, group_by: ['server'], for_s: 60, keep_firing_s: 900, severity: 'error' },
  { name: 'proxy-breaker', measure: 'proxy_breaker', threshold: 1, group_by: ['server'], keep_firing_s: 900, severity: 'error' },
  {
    name: 'disguised-refusal',
    measure: 'disguised_refusal',
    threshold: 1,
    group_by: ['server'],
    window_s: 900,
    keep_firing_s: HOUR_S,
    severity: 'warning',
  },
  {
    name: 'reconnect-loop',
    measure: 'reconnect_loop',
    threshold: 1,
    group_by: ['server'],
    window_s: 600,
    for_s: 120,
    keep_firing_s: HOUR_S,
    severity: 'warning',
  },
  {
    name: 'lead-to-floor',
    measure: 'lead_to_floor',
    op: '<',
    threshold: 10,
    group_by: ['server'],
    window_s: 600,
    for_s: 300,
    keep_firing_s: 900,
    severity: 'warning',
  },
  {
    name: 'blind',
    measure: 'blind',
    threshold: 1,
    group_by: ['server'],
    window_s: 900,
    keep_firing_s: HOUR_S,
    severity: 'warning',
  },
  {
    name: 'unverifiable',
    measure: 'unverifiable_rate',
    threshold: 0.5,
    group_by: ['server'],
    window_s: 900,
    for_s: 600,
    keep_firing_s: HOUR_S,
    severity: 'warning',
  },
  {
    name: 'telemetry-stopped',
    measure: 'telemetry_stopped',
    threshold: 1800,
    group_by: ['server'],
    notify_by: [],
    keep_firing_s: 60,
    severity: 'warning',
  },
];

const named = (name: string) => [{ name: 'alertname', op: '=', value: name }] as const;
const mutes = (source: string, targets: readonly string[]): Inhibition[] =>
  targets.map((target) => ({ source: named(source), target: named(target), equal: ['server'] }));

/** A cause keeps its symptoms quiet, on the same server only. */
export const PRESET_INHIBITIONS: readonly Inhibition[] = [
  ...mutes('telemetry-stopped', ['blind', 'unverifiable', 'lead-to-floor']),
  ...mutes('unsafe-resume', ['gap', 'former-generation', 'id-reused', 'bad-replay', 'lead-to-floor', 'resume-unavailable']),
];
