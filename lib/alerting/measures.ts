import { FINDING_GROUPS, type FindingCode } from '@/lib/audit/finding';
import type { Assessment } from '@/lib/resume/attempt-facts';

/** Findings that are assessments too, and counted as such. */
const COUNTED_AS_ASSESSMENTS = ['over_refusal', 'wrong_status'] as const satisfies readonly (FindingCode & Assessment)[];
export type FindingMeasure = Exclude<FindingCode, (typeof COUNTED_AS_ASSESSMENTS)[number]>;

const isCountedByItself = (code: FindingCode): code is FindingMeasure => !COUNTED_AS_ASSESSMENTS.some((other) => other === code);

/** Codes of the findings that a rule can count. */
const FINDING_MEASURES: readonly FindingMeasure[] = Object.values(FINDING_GROUPS).flat().filter(isCountedByItself);

/** Assessments that a rule can count. `over_refusal` and `wrong_status` are findings too: one count serves both. */
export const ASSESSMENT_MEASURES = [
  'correct',
  'unsafe_resume',
  'bad_replay',
  'over_refusal',
  'wrong_status',
  'unverifiable',
] as const satisfies readonly Assessment[];

/**
 * - `resume_unavailable`: refusals of a live session's cursor.
 * - `blind`: telemetry known to be missing: batches that never arrived, records that their producer dropped.
 */
const OTHER_COUNTS = ['resume_unavailable', 'blind', 'attempts'] as const;

/**
 * What other parts of the product raise themselves, since no record shows it.
 *
 * - `proxy_breaker`: the proxy switched a route to shadow because its refusals did harm.
 */
export const SIGNAL_MEASURES = ['proxy_breaker'] as const;
export type SignalMeasure = (typeof SIGNAL_MEASURES)[number];

export const COUNTED_MEASURES = [...FINDING_MEASURES, ...ASSESSMENT_MEASURES, ...OTHER_COUNTS, ...SIGNAL_MEASURES] as const;
export type CountedMeasure = (typeof COUNTED_MEASURES)[number];

/**
 * - `lead_to_floor`: the smallest distance, in events, between a cursor and the floor rule in the window.
 * - `telemetry_stopped`: seconds since the newest record, of those that sent anything in the day before.
 */
export const GAUGES = ['lead_to_floor', 'telemetry_stopped'] as const;
export type Gauge = (typeof GAUGES)[number];

/** How a counted measure becomes a number: as it is, per attempt, or against its own past. */
export type Form = 'count' | 'rate' | 'deviation';

/** What a measure's name says, taken apart. */
export type Measure = { readonly form: 'gauge'; readonly base: Gauge } | { readonly form: Form; readonly base: CountedMeasure };

const SUFFIXES = { rate: '_rate', deviation: '_deviation' } as const;

const signals = new Set<string>(SIGNAL_MEASURES);
/** Whether a measure counts what other parts of the product raised. */
export function isSignal(base: string): base is SignalMeasure {
  return signals.has(base);
}

const counted = new Map<string, Measure>();
for (const base of COUNTED_MEASURES) {
  counted.set(base, { form: 'count', base });
  if (base !== 'attempts' && !isSignal(base)) counted.set(`${base}${SUFFIXES.rate}`, { form: 'rate', base });
  counted.set(`${base}${SUFFIXES.deviation}`, { form: 'deviation', base });
}
for (const base of GAUGES) counted.set(base, { form: 'gauge', base });

/** Every name that a rule may give as its measure. */
export const MEASURE_NAMES: readonly string[] = [...counted.keys()];

/** Whether a measure of nothing is zero: a count that found nothing, and its deviation. Any other measure of nothing is unknown. */
export function isZeroOfNothing(name: string): boolean {
  const form = measureOf(name)?.form;
  return form === 'count' || form === 'deviation';
}

/** Takes a measure's name apart; null for a name that no measure has. */
export const measureOf = (name: string): Measure | null => counted.get(name) ?? null;

const findings = new Set<string>(FINDING_MEASURES);
/** Whether a measure counts findings of the audit rather than judged attempts. */
export const isFinding = (base: string): base is FindingMeasure => findings.has(base);
