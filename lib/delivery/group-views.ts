import type { Instance } from '@/lib/alerting/evaluate';
import { advanceGroup, type ClosedAlert, type Group, type GroupView, type Notice, newGroup } from '@/lib/alerting/group';
import type { Labels } from '@/lib/alerting/labels';
import type { Rule } from '@/lib/alerting/rule';
import { type Inhibition, inhibitor, type Silence, silencedBy } from '@/lib/alerting/silence';
import type { RuleOutcome } from '@/lib/delivery/read-rule';

export interface GroupNotice {
  readonly rule: Rule;
  readonly group: Group;
  readonly labels: Labels;
  readonly notice: Notice;
}

/** The labels that silences and inhibitions are matched against. */
export const matchedLabels = (rule: Rule, labels: Labels): Labels => ({ alertname: rule.name, severity: rule.severity, ...labels });

/** Decides what is told of all rules at one instant. Groups about which nothing is open or waiting are left out. */
export function advanceGroups(
  outcomes: readonly RuleOutcome[],
  known: (rule: string) => Readonly<Record<string, Group>>,
  silences: readonly Silence[],
  inhibitions: readonly Inhibition[],
  nowMs: number,
): { groups: ReadonlyMap<string, Record<string, Group>>; notices: GroupNotice[] } {
  const firing = outcomes.flatMap(({ rule, state }) => openOf(state.instances).map(({ labels }) => matchedLabels(rule, labels)));
  const isInhibited = inhibitor(inhibitions, firing);
  const groups = new Map<string, Record<string, Group>>();
  const notices: GroupNotice[] = [];
  for (const outcome of outcomes) {
    const { rule } = outcome;
    const isQuiet = (labels: Labels): boolean => {
      const matched = matchedLabels(rule, labels);
      return silencedBy(silences, matched, nowMs) !== null || isInhibited(matched);
    };
    const before = known(rule.name);
    const after: Record<string, Group> = {};
    for (const [key, view] of viewsOf(outcome, Object.keys(before), isQuiet)) {
      const [group, notice] = advanceGroup(before[key] ?? newGroup(rule.name, key), view, rule, nowMs);
      if (group.episode !== null || group.waitingSinceMs !== null) after[key] = group;
      if (notice !== null) notices.push({ rule, group, labels: groupLabels(key, view), notice });
    }
    groups.set(rule.name, after);
  }
  return { groups, notices };
}

const openOf = (instances: Readonly<Record<string, Instance>>): Instance[] =>
  Object.values(instances).filter(({ openedAtMs }) => openedAtMs !== null);

interface MutableView {
  visible: Instance[];
  held: Instance[];
  closed: ClosedAlert[];
  missed: GroupView['missed'][number][];
}

function viewsOf(outcome: RuleOutcome, knownKeys: readonly string[], isQuiet: (labels: Labels) => boolean): Map<string, MutableView> {
  const views = new Map<string, MutableView>();
  const viewOf = (key: string): MutableView => {
    const view = views.get(key) ?? { visible: [], held: [], closed: [], missed: [] };
    views.set(key, view);
    return view;
  };
  for (const key of knownKeys) viewOf(key);
  for (const instance of openOf(outcome.state.instances)) {
    const view = viewOf(instance.group);
    (isQuiet(instance.labels) ? view.held : view.visible).push(instance);
  }
  for (const { type, instance, atMs } of outcome.effects) {
    if (type === 'close')
      viewOf(instance.group).closed.push({ labels: instance.labels, openedAtMs: instance.openedAtMs ?? atMs, closedAtMs: atMs });
  }
  for (const episode of outcome.missed) if (!isQuiet(episode.labels)) viewOf(episode.group).missed.push(episode);
  return views;
}

/** The labels that a group's key stands for; the groups of the rule's own health and of the overflow have none. */
function groupLabels(key: string, view: GroupView): Labels {
  const [kind] = view.visible;
  if (!key.startsWith('[')) return kind !== undefined && kind.kind !== 'breach' ? kind.labels : {};
  const pairs: unknown = JSON.parse(key);
  if (!Array.isArray(pairs)) return {};
  const entries = pairs.filter(
    (pair): pair is [string, string] => Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string',
  );
  return Object.fromEntries(entries);
}
