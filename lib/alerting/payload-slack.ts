import { type Notification, sizesOf } from '@/lib/alerting/notification';
import { isoOf } from '@/lib/alerting/payload-webhook';

/** Limits of Slack's blocks. */
const HEADER_MAX = 150;
const SECTION_MAX = 3000;
/** Alerts that are written out; the message links to the rest. */
const LINES_MAX = 5;

const MARKS: Readonly<Record<Notification['severity'], string>> = { critical: '🔴', error: '🟠', warning: '🟡', info: '🔵' };

/** A message for a Slack incoming webhook. Messages cannot be edited that way: a resolve is a new one with the same link. */
export function slackMessage(notification: Notification) {
  const mark = notification.status === 'resolved' ? '🟢' : MARKS[notification.severity];
  const title = `${mark} ${notification.headline}`;
  return {
    text: escaped(title).slice(0, SECTION_MAX),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, HEADER_MAX) } },
      { type: 'section', text: { type: 'mrkdwn', text: bodyOf(notification).slice(0, SECTION_MAX) } },
      { type: 'actions', elements: buttonsOf(notification) },
      { type: 'context', elements: [{ type: 'mrkdwn', text: contextOf(notification).slice(0, SECTION_MAX) }] },
    ],
  };
}

function bodyOf(notification: Notification): string {
  const since = isoOf(notification.startedAtMs);
  const until = notification.endedAtMs === null ? 'still going on' : `ended ${isoOf(notification.endedAtMs)}`;
  const sizes = sizesOf(notification.facts);
  const alerts = notification.alerts
    .slice(0, LINES_MAX)
    .map(({ labels, value }) => `• ${labelText(labels)}${value === null ? '' : `: ${value}`}`);
  const more = notification.alerts.length - alerts.length + notification.truncated;
  const lines = [
    `*Since* ${since}, ${until}`,
    ...(sizes === '' ? [] : [`*Lost* ${sizes}`]),
    ...(notification.facts.detail === null ? [] : [`*Detail* ${notification.facts.detail}`]),
    `*Next step* ${notification.nextStep}`,
    ...alerts,
    ...(more > 0 ? [`… and ${more} more`] : []),
  ];
  return escaped(lines.join('\n'));
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'all servers';

function buttonsOf({ links, status }: Notification) {
  const named = [
    ['Open proof', links.proof],
    ['Incident', links.incident],
    ['Runbook', links.runbook],
    ['Acknowledge', status === 'firing' ? links.acknowledge : null],
    ['Open alert', links.alert],
  ] as const;
  return named.flatMap(([text, url]) => (url === null ? [] : [{ type: 'button', text: { type: 'plain_text', text }, url }]));
}

const contextOf = ({ rule, severity, condition }: Notification): string => escaped(`${rule} · ${severity} · ${condition}`);

/** The three characters that Slack reads as markup: labels come from telemetry and must not become links or mentions. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
