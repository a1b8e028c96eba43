import Type from 'typebox';
import { AlertEventList, type AlertItem, AlertList } from '@/lib/alerting/answer-schema';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import { alertHeadline, nextStepOf } from '@/lib/alerting/notification';
import type { Rule } from '@/lib/alerting/rule';
import { inhibitor, silencedBy } from '@/lib/alerting/silence';
import { conditionOf } from '@/lib/alerting/wording';
import { matchedLabels } from '@/lib/delivery/group-views';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryAlertEvents, queryStandings, type RuleStanding } from '@/lib/query/alerting-state';
import type { AlertingContext } from '@/server/alerting-context';
import { isoOf } from '@/server/api/iso-of';

/** Alerts as they stand, and what happened to them. */
export function alertRoutes({ sql, setup, inhibitions, now }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts',
      summary: 'Alerts that are pending, firing or recovering, and what was told of them',
      answers: { 200: AlertList },
      handle: async () => {
        const nowMs = now();
        const [standings, silences] = await Promise.all([queryStandings(sql), setup.silences(nowMs)]);
        const isInhibited = inhibitor(inhibitions, standings.flatMap(firingLabels));
        const quietOf = (rule: Rule, { labels }: Instance): AlertItem['quiet'] => {
          const matched = matchedLabels(rule, labels);
          if (silencedBy(silences, matched, nowMs) !== null) return 'silenced';
          return isInhibited(matched) ? 'inhibited' : null;
        };
        return ok({
          items: standings.flatMap(({ rule, instances, groups }) =>
            instances.map((instance) => alertItem(rule, instance, groups, quietOf(rule, instance))),
          ),
          evaluated_at: isoOf(standings.reduce<number | null>((newest, { evaluatedAtMs }) => Math.max(newest ?? 0, evaluatedAtMs), null)),
        });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/alerts/events',
      summary: 'What happened to alerts, newest first',
      query: Type.Object({ rule: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) }),
      answers: { 200: AlertEventList },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        return ok({ items: await queryAlertEvents(sql, reader.text('rule'), reader.integer('limit', 100, 1, 1000)) });
      },
    },
  ];
}

/** The labels of a rule's firing alerts, as silences and inhibitions see them. */
export const firingLabels = ({ rule, instances }: RuleStanding) =>
  instances.filter(({ openedAtMs }) => openedAtMs !== null).map(({ labels }) => matchedLabels(rule, labels));

function alertItem(rule: Rule, instance: Instance, groups: readonly Group[], quiet: AlertItem['quiet']): AlertItem {
  const episode = groups.find(({ key }) => key === instance.group)?.episode ?? null;
  const isToEscalate = episode !== null && rule.escalate !== null && episode.ackedAtMs === null && episode.escalatedAtMs === null;
  return {
    rule: rule.name,
    severity: rule.severity,
    kind: instance.kind,
    state: instance.phase,
    labels: instance.labels,
    value: instance.value,
    since: isoOf(instance.sinceMs),
    opened_at: isoOf(instance.openedAtMs),
    headline: alertHeadline(rule, instance.labels, instance.kind),
    next_step: nextStepOf(rule, instance.kind),
    condition: conditionOf(rule),
    runbook: rule.runbook,
    quiet,
    group: instance.group,
    episode: episode?.openedAtMs ?? null,
    told_at: isoOf(episode?.openedAtMs ?? null),
    acknowledged_at: isoOf(episode?.ackedAtMs ?? null),
    acknowledged_by: episode?.ackedBy ?? null,
    escalates_at: isToEscalate ? isoOf(episode.openedAtMs + (rule.escalate?.afterMs ?? 0)) : null,
    escalated_at: isoOf(episode?.escalatedAtMs ?? null),
    escalate_channels: [...(rule.escalate?.channels ?? [])],
  };
}
