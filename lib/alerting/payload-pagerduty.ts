import type { Notification } from '@/lib/alerting/notification';
import { isoOf } from '@/lib/alerting/payload-webhook';

/** Length that PagerDuty accepts for a summary. */
const SUMMARY_MAX = 1024;

/**
 * Events of the PagerDuty Events API v2 without their `routing_key`, which is added when they are sent: it is a
 * secret and is not stored with the message. What came and went while nobody evaluated is a trigger and its
 * resolve: PagerDuty keeps a record of it, and nobody is asked to act.
 */
export function pagerDutyEvents(notification: Notification): object[] {
  const resolve = { event_action: 'resolve', dedup_key: notification.dedupKey };
  if (notification.kind === 'missed') return [triggerOf(notification), resolve];
  return [notification.status === 'resolved' ? resolve : triggerOf(notification)];
}

function triggerOf(notification: Notification) {
  const { facts, links } = notification;
  return {
    event_action: 'trigger',
    dedup_key: notification.dedupKey,
    client: 'Tidemark',
    client_url: links.alert,
    links: linksOf(notification),
    payload: {
      summary: notification.headline.slice(0, SUMMARY_MAX),
      source: notification.group['server'] ?? 'tidemark',
      severity: notification.severity,
      timestamp: isoOf(notification.startedAtMs),
      component: notification.group['server'] ?? 'all servers',
      group: notification.rule,
      class: notification.condition,
      custom_details: {
        next_step: notification.nextStep,
        events_lost: facts.events,
        events_lost_at_least: facts.eventsAtLeast,
        sessions: facts.sessions,
        calls: facts.calls,
        incident: facts.incident,
        detail: facts.detail,
        alerts: notification.alerts.map(({ labels, value }) => ({ labels, value })),
        alerts_truncated: notification.truncated,
      },
    },
  };
}

function linksOf({ links }: Notification): { href: string; text: string }[] {
  const named = [
    ['Proof', links.proof],
    ['Incident', links.incident],
    ['Runbook', links.runbook],
    ['Acknowledge in Tidemark', links.acknowledge],
  ] as const;
  return named.flatMap(([text, href]) => (href === null ? [] : [{ href, text }]));
}
