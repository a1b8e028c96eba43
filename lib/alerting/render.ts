import type { Notification } from '@/lib/alerting/notification';
import { alertmanagerPayload } from '@/lib/alerting/payload-alertmanager';
import { emailMessage } from '@/lib/alerting/payload-email';
import { pagerDutyEvents } from '@/lib/alerting/payload-pagerduty';
import { slackMessage } from '@/lib/alerting/payload-slack';
import { webhookPayload } from '@/lib/alerting/payload-webhook';
import { assertNever } from '@/lib/base/assert-never';

export const CHANNEL_TYPES = ['webhook', 'pagerduty', 'slack', 'alertmanager', 'email'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Standard Webhooks asks for bodies under 20 kB. */
const BODY_BYTES_MAX = 20_000;

/**
 * The bodies that a channel sends, in their order, as JSON text: one, unless the receiver has no single word for
 * such a message. Lists fewer alerts, and counts the others, until every body fits.
 */
export function renderBodies(type: ChannelType, channelName: string, notification: Notification): string[] {
  let shown = notification;
  for (;;) {
    const bodies = payloadsOf(type, channelName, shown).map((payload) => JSON.stringify(payload));
    if (bodies.every(isSmall) || shown.alerts.length <= 1) return bodies;
    const kept = Math.floor(shown.alerts.length / 2);
    shown = { ...shown, alerts: shown.alerts.slice(0, kept), truncated: shown.truncated + shown.alerts.length - kept };
  }
}

const isSmall = (body: string): boolean => new TextEncoder().encode(body).length < BODY_BYTES_MAX;

function payloadsOf(type: ChannelType, channelName: string, notification: Notification): object[] {
  switch (type) {
    case 'webhook':
      return [webhookPayload(notification)];
    case 'pagerduty':
      return pagerDutyEvents(notification);
    case 'slack':
      return [slackMessage(notification)];
    case 'alertmanager':
      return [alertmanagerPayload(notification, channelName)];
    case 'email':
      return [emailMessage(notification)];
    default:
      return assertNever(type);
  }
}
