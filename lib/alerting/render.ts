import type { Notification } from '@/lib/alerting/notification';
import { alertmanagerPayload } from '@/lib/alerting/payload-alertmanager';
import { emailMessage } from '@/lib/alerting/payload-email';
import { pagerDutyEvent } from '@/lib/alerting/payload-pagerduty';
import { slackMessage } from '@/lib/alerting/payload-slack';
import { webhookPayload } from '@/lib/alerting/payload-webhook';
import { assertNever } from '@/lib/base/assert-never';

export const CHANNEL_TYPES = ['webhook', 'pagerduty', 'slack', 'alertmanager', 'email'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Standard Webhooks asks for bodies under 20 kB. */
const BODY_BYTES_MAX = 20_000;

/**
 * The body that a channel sends, as JSON text; null when the channel has no word for such a message. Lists fewer
 * alerts, and counts the others, until the body fits.
 */
export function renderBody(type: ChannelType, channelName: string, notification: Notification): string | null {
  let shown = notification;
  for (;;) {
    const payload = payloadOf(type, channelName, shown);
    if (payload === null) return null;
    const body = JSON.stringify(payload);
    if (new TextEncoder().encode(body).length < BODY_BYTES_MAX || shown.alerts.length <= 1) return body;
    const kept = Math.floor(shown.alerts.length / 2);
    shown = { ...shown, alerts: shown.alerts.slice(0, kept), truncated: shown.truncated + shown.alerts.length - kept };
  }
}

function payloadOf(type: ChannelType, channelName: string, notification: Notification): object | null {
  switch (type) {
    case 'webhook':
      return webhookPayload(notification);
    case 'pagerduty':
      return pagerDutyEvent(notification);
    case 'slack':
      return slackMessage(notification);
    case 'alertmanager':
      return alertmanagerPayload(notification, channelName);
    case 'email':
      return emailMessage(notification);
    default:
      return assertNever(type);
  }
}
