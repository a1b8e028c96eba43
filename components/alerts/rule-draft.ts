import { durationText, parseDuration } from '@/components/alerts/duration-text';
import {
  DIMENSIONS,
  type Dimension,
  NO_DATA_POLICIES,
  type NoDataPolicy,
  OPERATORS,
  type Operator,
  type RuleInput,
  ruleOf,
  type Severity,
} from '@/lib/alerting/rule';

/** A rule as it is being written: numbers and durations are still text. */
export interface RuleDraft {
  readonly name: string;
  readonly measure: string;
  readonly op: Operator;
  readonly threshold: string;
  /** Values wanted for each dimension, separated by commas; empty for everything. */
  readonly filter: Readonly<Record<Dimension, string>>;
  readonly groupBy: readonly Dimension[];
  readonly notifyBy: readonly Dimension[];
  readonly window: string;
  readonly lasting: string;
  readonly keepFiring: string;
  readonly severity: Severity;
  readonly runbook: string;
  readonly isEverywhere: boolean;
  readonly channels: readonly string[];
  readonly enabled: boolean;
  readonly noData: NoDataPolicy;
  readonly groupWait: string;
  readonly groupInterval: string;
  readonly repeat: string;
  readonly escalateAfter: string;
  readonly escalateChannels: readonly string[];
}

export type DraftProblems = Readonly<Partial<Record<keyof RuleDraft, string>>>;

const DAY_S = 86_400;
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;

/** A draft that shows a rule with all its defaults. */
export function draftOf(input: RuleInput): RuleDraft {
  const rule = ruleOf(input);
  const text = (ms: number): string => durationText(ms / 1000);
  return {
    name: rule.name,
    measure: rule.measure,
    op: rule.op,
    threshold: String(rule.threshold),
    filter: filterText(rule.filter),
    groupBy: rule.groupBy,
    notifyBy: rule.notifyBy,
    window: text(rule.windowMs),
    lasting: text(rule.forMs),
    keepFiring: text(rule.keepFiringMs),
    severity: rule.severity,
    runbook: rule.runbook ?? '',
    isEverywhere: rule.channels === null,
    channels: rule.channels ?? [],
    enabled: rule.enabled,
    noData: rule.noData,
    groupWait: text(rule.groupWaitMs),
    groupInterval: text(rule.groupIntervalMs),
    repeat: text(rule.repeatMs),
    escalateAfter: rule.escalate === null ? '' : text(rule.escalate.afterMs),
    escalateChannels: rule.escalate?.channels ?? [],
  };
}

export const NEW_DRAFT: RuleDraft = draftOf({
  name: 'new rule',
  measure: 'unsafe_resume',
  threshold: 1,
  group_by: ['server'],
  keep_firing_s: 900,
});

/** The rule that a draft stands for, or what is wrong with it, field by field. */
export function ruleOfDraft(draft: RuleDraft): { readonly rule: RuleInput | null; readonly problems: DraftProblems } {
  const problems: { -readonly [K in keyof DraftProblems]: DraftProblems[K] } = {};
  const seconds = (field: 'window' | 'lasting' | 'keepFiring' | 'groupWait' | 'groupInterval' | 'repeat', least: number, most: number) => {
    const value = parseDuration(draft[field]);
    if (value === null) problems[field] = 'A duration such as 90 s, 5 min or 2 h';
    else if (value < least || value > most) problems[field] = `From ${durationText(least)} to ${durationText(most)}`;
    return value ?? least;
  };
  if (!NAME.test(draft.name)) problems.name = '1 to 100 letters, digits, spaces, dots, dashes or underscores';
  const threshold = Number(draft.threshold);
  if (draft.threshold.trim() === '' || !Number.isFinite(threshold)) problems.threshold = 'A number';
  if (draft.runbook !== '' && !/^https?:\/\/\S+$/.test(draft.runbook)) problems.runbook = 'An http or https link';
  const escalate = escalationOf(draft);
  if (typeof escalate === 'string') problems.escalateAfter = escalate;
  const rule: RuleInput = {
    name: draft.name,
    measure: draft.measure,
    filter: filterOf(draft.filter),
    group_by: [...draft.groupBy],
    notify_by: draft.groupBy.filter((dimension) => draft.notifyBy.includes(dimension)),
    op: draft.op,
    threshold,
    window_s: seconds('window', 1, DAY_S),
    for_s: seconds('lasting', 0, DAY_S),
    keep_firing_s: seconds('keepFiring', 0, DAY_S),
    severity: draft.severity,
    ...(draft.runbook === '' ? {} : { runbook: draft.runbook }),
    ...(draft.isEverywhere ? {} : { channels: [...draft.channels] }),
    enabled: draft.enabled,
    no_data: draft.noData,
    group_wait_s: seconds('groupWait', 0, 3600),
    group_interval_s: seconds('groupInterval', 1, DAY_S),
    repeat_s: seconds('repeat', 60, 7 * DAY_S),
    ...(typeof escalate === 'object' ? { escalate } : {}),
  };
  return { rule: Object.keys(problems).length === 0 ? rule : null, problems };
}

/** Undefined when nothing escalates, text when it is not said whole. */
function escalationOf({ escalateAfter, escalateChannels }: RuleDraft): NonNullable<RuleInput['escalate']> | string | undefined {
  if (escalateAfter.trim() === '' && escalateChannels.length === 0) return undefined;
  const after = parseDuration(escalateAfter);
  if (after === null || after < 1 || after > DAY_S) return 'A duration from 1 s to 1 d';
  return escalateChannels.length === 0 ? 'Choose the channels that it goes to' : { after_s: after, channels: [...escalateChannels] };
}

function filterText(filter: Readonly<Partial<Record<Dimension, readonly string[]>>>): RuleDraft['filter'] {
  const text = (dimension: Dimension): string => (filter[dimension] ?? []).join(', ');
  return { server: text('server'), node: text('node'), client: text('client'), reason: text('reason'), session: text('session') };
}

function filterOf(filter: RuleDraft['filter']): NonNullable<RuleInput['filter']> {
  return Object.fromEntries(
    DIMENSIONS.flatMap((dimension) => {
      const values = filter[dimension]
        .split(',')
        .map((value) => value.trim())
        .filter((value) => value !== '');
      return values.length === 0 ? [] : [[dimension, values]];
    }),
  );
}

export const OPERATOR_OPTIONS = OPERATORS.map((value) => ({ value, text: value }));
export const DIMENSION_OPTIONS = DIMENSIONS.map((value) => ({ value, text: value }));
const NO_DATA_WORDS: Readonly<Record<NoDataPolicy, string>> = {
  ok: 'ends the alert',
  keep: 'keeps it as it is',
  alert: 'is an alert of its own',
};
export const NO_DATA_OPTIONS = NO_DATA_POLICIES.map((value) => ({ value, text: NO_DATA_WORDS[value] }));
