import type { AlertLine, Notification } from '@/lib/alerting/notification';

const EVENT_TYPES: Readonly<Record<Notification['kind'], string>> = {
  open: 'alert.opened',
  update: 'alert.updated',
  repeat: 'alert.repeated',
  escalate: 'alert.escalated',
  resolve: 'alert.resolved',
  missed: 'alert.missed',
  test: 'alert.test',
};

export const isoOf = (atMs: number): string => new Date(atMs).toISOString();
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : isoOf(atMs));

/** The generic webhook's body: `type`, `timestamp` and `data`, as the Standard Webhooks specification lays out. */
export const webhookPayload = (notification: Notification) => ({
  type: EVENT_TYPES[notification.kind],
  timestamp: isoOf(notification.atMs),
  data: {
    status: notification.status,
    dedup_key: notification.dedupKey,
    rule: notification.rule,
    severity: notification.severity,
    condition: notification.condition,
    labels: notification.group,
    headline: notification.headline,
    next_step: notification.nextStep,
    started_at: isoOf(notification.startedAtMs),
    ended_at: isoOrNull(notification.endedAtMs),
    loss: {
      events: notification.facts.events,
      at_least: notification.facts.eventsAtLeast,
      sessions: notification.facts.sessions,
      calls: notification.facts.calls,
    },
    incident: notification.facts.incident,
    detail: notification.facts.detail,
    links: notification.links,
    alerts: notification.alerts.map(alertOf),
    alerts_truncated: notification.truncated,
  },
});

const alertOf = ({ labels, fingerprint, value, startsAtMs, endsAtMs }: AlertLine) => ({
  labels,
  fingerprint,
  value,
  started_at: isoOf(startsAtMs),
  ended_at: isoOrNull(endsAtMs),
});
