import type { AlertLine, Notification } from '@/lib/alerting/notification';
import { isoOf } from '@/lib/alerting/payload-webhook';

/** What Alertmanager sends as the end of an alert that has none. */
const NO_END = '0001-01-01T00:00:00Z';

/**
 * The body of Alertmanager's webhook, version 4, for receivers that already understand it.
 *
 * @param receiver name of the channel.
 */
export function alertmanagerPayload(notification: Notification, receiver: string) {
  const commonLabels = { alertname: notification.rule, severity: notification.severity, ...notification.group };
  const commonAnnotations = {
    summary: notification.headline,
    description: notification.condition,
    next_step: notification.nextStep,
    ...(notification.facts.detail === null ? {} : { detail: notification.facts.detail }),
    ...(notification.links.proof === null ? {} : { proof: notification.links.proof }),
    ...(notification.links.incident === null ? {} : { incident: notification.links.incident }),
    ...(notification.links.runbook === null ? {} : { runbook_url: notification.links.runbook }),
  };
  const alertOf = (alert: AlertLine) => ({
    status: alert.endsAtMs === null ? notification.status : 'resolved',
    labels: { ...commonLabels, ...alert.labels },
    annotations: commonAnnotations,
    startsAt: isoOf(alert.startsAtMs),
    endsAt: endOf(alert, notification),
    generatorURL: notification.links.alert,
    fingerprint: alert.fingerprint,
  });
  return {
    version: '4',
    groupKey: notification.dedupKey,
    truncatedAlerts: notification.truncated,
    status: notification.status,
    receiver,
    groupLabels: { alertname: notification.rule, ...notification.group },
    commonLabels,
    commonAnnotations,
    externalURL: notification.links.alert,
    alerts: notification.alerts.map(alertOf),
  };
}

function endOf(alert: AlertLine, notification: Notification): string {
  if (alert.endsAtMs !== null) return isoOf(alert.endsAtMs);
  return notification.endedAtMs === null ? NO_END : isoOf(notification.endedAtMs);
}
