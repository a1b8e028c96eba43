import Type from 'typebox';
import { MEASURE_NAMES } from '@/lib/alerting/measures';
import { literals } from '@/lib/wire/schema';

/** Labels by which a rule can filter and group. */
export const DIMENSIONS = ['server', 'node', 'client', 'reason', 'session'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const OPERATORS = ['>', '>=', '<', '<='] as const;
export type Operator = (typeof OPERATORS)[number];

export const NO_DATA_POLICIES = ['ok', 'keep', 'alert'] as const;
export type NoDataPolicy = (typeof NO_DATA_POLICIES)[number];

const DAY_S = 86_400;

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]*$',
  description: 'a name of 1 to 100 letters, digits, spaces, dots, dashes or underscores',
});
const Text = Type.String({ minLength: 1, maxLength: 256, description: 'text of 1 to 256 characters' });
const Texts = Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: 100 })], {
  description: 'a value or a list of at most 100 values',
});
const seconds = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `whole seconds from ${minimum} to ${maximum}` });
const ChannelNames = Type.Array(Name, { maxItems: 20, description: 'names of at most 20 channels' });

/** A rule as it is written: in the file of `TIDEMARK_CONFIG`, and in the body of the rules API. */
export const RuleInput = Type.Object(
  {
    name: Name,
    measure: Type.Unsafe<string>(
      Type.Enum([...MEASURE_NAMES], {
        description:
          'a finding code, an assessment, resume_unavailable, lead_to_floor, blind or telemetry_stopped; counts also as …_rate or …_deviation',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          server: Type.Optional(Texts),
          node: Type.Optional(Texts),
          client: Type.Optional(Texts),
          reason: Type.Optional(Texts),
          session: Type.Optional(Texts),
        },
        { additionalProperties: false, description: 'values wanted for server, node, client, reason or session' },
      ),
    ),
    group_by: Type.Optional(
      Type.Array(literals(DIMENSIONS), { maxItems: DIMENSIONS.length, uniqueItems: true, description: `some of ${DIMENSIONS.join(', ')}` }),
    ),
    op: Type.Optional(literals(OPERATORS)),
    threshold: Type.Number({ description: 'a number' }),
    window_s: Type.Optional(seconds(1, DAY_S)),
    for_s: Type.Optional(seconds(0, DAY_S)),
    keep_firing_s: Type.Optional(seconds(0, DAY_S)),
    severity: Type.Optional(literals(SEVERITIES)),
    runbook: Type.Optional(Type.String({ maxLength: 2048, pattern: '^https?://', description: 'an http(s) link' })),
    channels: Type.Optional(ChannelNames),
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
    no_data: Type.Optional(literals(NO_DATA_POLICIES)),
    notify_by: Type.Optional(
      Type.Array(literals(DIMENSIONS), { maxItems: DIMENSIONS.length, uniqueItems: true, description: `some of ${DIMENSIONS.join(', ')}` }),
    ),
    group_wait_s: Type.Optional(seconds(0, 3600)),
    group_interval_s: Type.Optional(seconds(1, DAY_S)),
    repeat_s: Type.Optional(seconds(60, 7 * DAY_S)),
    escalate: Type.Optional(
      Type.Object(
        { after_s: seconds(1, DAY_S), channels: ChannelNames },
        { additionalProperties: false, description: 'after_s and channels' },
      ),
    ),
  },
  { description: 'an object with name, measure and threshold' },
);
export type RuleInput = Type.Static<typeof RuleInput>;

/** A rule with nothing left out: what the evaluator works with. Times in milliseconds. */
export interface Rule {
  readonly name: string;
  readonly measure: string;
  readonly filter: Readonly<Partial<Record<Dimension, readonly string[]>>>;
  readonly groupBy: readonly Dimension[];
  readonly op: Operator;
  readonly threshold: number;
  readonly windowMs: number;
  readonly forMs: number;
  readonly keepFiringMs: number;
  readonly severity: Severity;
  readonly runbook: string | null;
  /** Null: every channel. */
  readonly channels: readonly string[] | null;
  readonly enabled: boolean;
  readonly noData: NoDataPolicy;
  /** Labels whose values set one notification apart from another; a subset of `groupBy`. */
  readonly notifyBy: readonly Dimension[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatMs: number;
  readonly escalate: { readonly afterMs: number; readonly channels: readonly string[] } | null;
}

const DEFAULTS = {
  group_by: [] as readonly Dimension[],
  op: '>=',
  window_s: 300,
  for_s: 0,
  keep_firing_s: 0,
  severity: 'warning',
  enabled: true,
  no_data: 'ok',
  notify_by: ['server'] as readonly Dimension[],
  group_wait_s: 0,
  group_interval_s: 300,
  repeat_s: 4 * 3600,
} as const;

/** Fills in what a rule leaves out. `notify_by` defaults to the server where the rule groups by it, else to one notification per rule. */
export function ruleOf(input: RuleInput): Rule {
  const rule = { ...DEFAULTS, ...input };
  const notifyBy: readonly Dimension[] = rule.notify_by;
  return {
    name: rule.name,
    measure: rule.measure,
    filter: filterOf(rule.filter ?? {}),
    groupBy: rule.group_by,
    op: rule.op,
    threshold: rule.threshold,
    windowMs: rule.window_s * 1000,
    forMs: rule.for_s * 1000,
    keepFiringMs: rule.keep_firing_s * 1000,
    severity: rule.severity,
    runbook: rule.runbook ?? null,
    channels: rule.channels ?? null,
    enabled: rule.enabled,
    noData: rule.no_data,
    notifyBy: rule.group_by.filter((dimension) => notifyBy.includes(dimension)),
    groupWaitMs: rule.group_wait_s * 1000,
    groupIntervalMs: rule.group_interval_s * 1000,
    repeatMs: rule.repeat_s * 1000,
    escalate: rule.escalate === undefined ? null : { afterMs: rule.escalate.after_s * 1000, channels: rule.escalate.channels },
  };
}

function filterOf(filter: NonNullable<RuleInput['filter']>): Rule['filter'] {
  const wanted: Partial<Record<Dimension, readonly string[]>> = {};
  for (const dimension of DIMENSIONS) {
    const value = filter[dimension];
    if (value !== undefined) wanted[dimension] = typeof value === 'string' ? [value] : value;
  }
  return wanted;
}

/** Whether a value is past the rule's threshold. */
export function isBreach(rule: Pick<Rule, 'op' | 'threshold'>, value: number): boolean {
  switch (rule.op) {
    case '>':
      return value > rule.threshold;
    case '>=':
      return value >= rule.threshold;
    case '<':
      return value < rule.threshold;
    case '<=':
      return value <= rule.threshold;
  }
}
