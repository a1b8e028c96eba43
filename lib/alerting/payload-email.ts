import { type Notification, sizesOf } from '@/lib/alerting/notification';
import { isoOf } from '@/lib/alerting/payload-webhook';

/** Subjects longer than this are cut by mail programs. */
const SUBJECT_MAX = 180;

/** A plain-text mail. Control characters are taken out of the subject, since labels come from telemetry. */
export function emailMessage(notification: Notification): { subject: string; text: string } {
  const { facts, links } = notification;
  const state = notification.status === 'resolved' ? 'resolved' : notification.severity;
  const sizes = sizesOf(facts);
  const lines = [
    notification.headline,
    '',
    `Rule:       ${notification.rule} (${notification.condition})`,
    `Since:      ${isoOf(notification.startedAtMs)}`,
    `Until:      ${notification.endedAtMs === null ? 'still going on' : isoOf(notification.endedAtMs)}`,
    ...(sizes === '' ? [] : [`Lost:       ${sizes}`]),
    ...(facts.detail === null ? [] : [`Detail:     ${facts.detail}`]),
    ...(facts.incident === null ? [] : [`Incident:   ${facts.incident.title}`]),
    `Next step:  ${notification.nextStep}`,
    '',
    ...notification.alerts.map(
      ({ labels, value }) =>
        `- ${
          Object.entries(labels)
            .map((pair) => pair.join(' '))
            .join(', ') || 'all servers'
        }${value === null ? '' : `: ${value}`}`,
    ),
    ...(notification.truncated > 0 ? [`… and ${notification.truncated} more`] : []),
    '',
    ...linkLines(links),
  ];
  return { subject: `[${state}] ${notification.headline}`.replace(/\p{Cc}+/gu, ' ').slice(0, SUBJECT_MAX), text: `${lines.join('\n')}\n` };
}

function linkLines(links: Notification['links']): string[] {
  const named = [
    ['Proof', links.proof],
    ['Incident', links.incident],
    ['Alert', links.alert],
    ['Runbook', links.runbook],
    ['Acknowledge', links.acknowledge],
  ] as const;
  return named.flatMap(([name, link]) => (link === null ? [] : [`${`${name}:`.padEnd(12)}${link}`]));
}
