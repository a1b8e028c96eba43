import type { Instance } from '@/lib/alerting/evaluate';
import type { Notice, NoticeKind } from '@/lib/alerting/group';
import { dedupKey, fingerprint, type Labels, labelKey } from '@/lib/alerting/labels';
import type { Rule, Severity } from '@/lib/alerting/rule';
import { conditionOf, wordingOf } from '@/lib/alerting/wording';

/** What is being lost, as far as the store knows; null where the measure does not size it. */
export interface LossFacts {
  readonly events: string | null;
  readonly eventsAtLeast: boolean;
  readonly sessions: number | null;
  readonly calls: number | null;
  readonly incident: { readonly id: string; readonly title: string } | null;
  /** The page of an attempt or a finding that proves it. */
  readonly proof: { readonly session: string | null; readonly path: string; readonly server: string } | null;
  /** What the part that raised the alert says of it; null for what is measured. */
  readonly detail: string | null;
}

export const NO_FACTS: LossFacts = {
  events: null,
  eventsAtLeast: false,
  sessions: null,
  calls: null,
  incident: null,
  proof: null,
  detail: null,
};

export interface Links {
  /** Where the rule and its alerts are shown. */
  readonly alert: string;
  readonly proof: string | null;
  readonly incident: string | null;
  /** A signed link that acknowledges the episode. */
  readonly acknowledge: string | null;
  readonly runbook: string | null;
}

export interface AlertLine {
  readonly labels: Labels;
  readonly fingerprint: string;
  readonly value: number | null;
  readonly startsAtMs: number;
  readonly endsAtMs: number | null;
}

/** A message to a receiver before it takes the receiver's shape. Pure data; times in epoch milliseconds. */
export interface Notification {
  readonly kind: NoticeKind | 'test';
  readonly status: 'firing' | 'resolved';
  readonly dedupKey: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly condition: string;
  readonly group: Labels;
  readonly headline: string;
  readonly nextStep: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly atMs: number;
  readonly alerts: readonly AlertLine[];
  /** Alerts that fire but are not listed. */
  readonly truncated: number;
  readonly facts: LossFacts;
  readonly links: Links;
}

/** Alerts that one message lists; the rest is counted. */
export const ALERTS_LISTED_MAX = 20;

/** Builds the message for a notice about one group of a rule's alerts. */
export function notificationOf(
  rule: Rule,
  group: { readonly key: string; readonly labels: Labels },
  notice: Notice,
  facts: LossFacts,
  links: Links,
  atMs: number,
): Notification {
  const isOver = notice.kind === 'resolve' || notice.kind === 'missed';
  const kind = notice.firing[0]?.kind ?? 'breach';
  return {
    kind: notice.kind,
    status: isOver ? 'resolved' : 'firing',
    dedupKey: dedupKey(rule.name, group.key),
    rule: rule.name,
    severity: rule.severity,
    condition: conditionOf(rule),
    group: group.labels,
    headline: headlineOf(rule, group, notice, facts),
    nextStep: isOver ? 'Nothing is asked of you; the proof stays available.' : nextStepOf(rule, kind),
    startedAtMs: notice.startedAtMs,
    endedAtMs: notice.endedAtMs,
    atMs,
    alerts: linesOf(rule, group.labels, notice),
    truncated: Math.max(0, notice.firing.length - ALERTS_LISTED_MAX),
    facts,
    links,
  };
}

const lineOf = (rule: Rule, labels: Labels, value: number | null, startsAtMs: number, endsAtMs: number | null): AlertLine => ({
  labels,
  fingerprint: fingerprint(`${rule.name}${labelKey(labels)}`),
  value,
  startsAtMs,
  endsAtMs,
});

/** Firing alerts first, then those that ended; a group without either stands for itself. */
function linesOf(rule: Rule, labels: Labels, notice: Notice): AlertLine[] {
  const lines = [
    ...notice.firing
      .slice(0, ALERTS_LISTED_MAX)
      .map((alert) => lineOf(rule, alert.labels, alert.value, alert.openedAtMs ?? notice.startedAtMs, null)),
    ...notice.closed.map((alert) => lineOf(rule, alert.labels, null, alert.openedAtMs, alert.closedAtMs)),
  ].slice(0, ALERTS_LISTED_MAX);
  return lines.length > 0 ? lines : [lineOf(rule, labels, null, notice.startedAtMs, notice.endedAtMs)];
}

const whereOf = (labels: Labels): string => (labels['server'] === undefined ? '' : ` on ${labels['server']}`);

/** What an alert is about, in words. */
export function alertHeadline(rule: Rule, labels: Labels, kind: Instance['kind']): string {
  if (kind === 'no_data') return `${rule.name} has nothing to measure${whereOf(labels)}`;
  if (kind === 'error') return `${rule.name} cannot be evaluated`;
  return `${wordingOf(rule).what}${whereOf(labels)}`;
}

function headlineOf(rule: Rule, group: { readonly labels: Labels }, notice: Notice, facts: LossFacts): string {
  const where = whereOf(group.labels);
  const kind = notice.firing[0]?.kind ?? 'breach';
  if (kind !== 'breach') return alertHeadline(rule, group.labels, kind);
  const { what } = wordingOf(rule);
  if (notice.kind === 'resolve') return `Over: ${lowerFirst(what)}${where}`;
  if (notice.kind === 'missed') return `Came and went unnoticed: ${lowerFirst(what)}${where}`;
  const sized = sizesOf(facts);
  return `${what}${where}${sized === '' ? '' : ` (${sized})`}`;
}

/** How much is lost, in words; empty when nothing is known. */
export function sizesOf(facts: LossFacts): string {
  const parts = [
    facts.events === null || facts.events === '0' ? null : `${facts.eventsAtLeast ? 'at least ' : ''}${plural(facts.events, 'event')} lost`,
    facts.sessions === null ? null : plural(String(facts.sessions), 'session'),
    facts.calls === null ? null : plural(String(facts.calls), 'call'),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

const plural = (count: string, noun: string): string => `${count} ${noun}${count === '1' ? '' : 's'}`;

/** What to do about an alert. */
export function nextStepOf(rule: Rule, kind: Instance['kind']): string {
  if (kind === 'error') return 'Check that the database answers; until then this rule cannot fire.';
  if (kind === 'no_data') return 'Check that the servers of this rule still report.';
  return wordingOf(rule).nextStep;
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
