import { expect, test } from 'vitest';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Notice, NoticeKind } from '@/lib/alerting/group';
import { dedupKey } from '@/lib/alerting/labels';
import { type LossFacts, type Notification, notificationOf } from '@/lib/alerting/notification';
import { CHANNEL_TYPES, type ChannelType, renderBodies } from '@/lib/alerting/render';
import { ruleOf, SEVERITIES } from '@/lib/alerting/rule';
import { alertmanagerBody, pagerDutyEvent, slackMessage } from '@/tests/alerting/published-schemas';

const links = {
  alert: 'https://tidemark.example/alerts?rule=r',
  proof: 'https://tidemark.example/attempts/1',
  incident: 'https://tidemark.example/incidents/9',
  acknowledge: 'https://tidemark.example/api/v1/alerts/ack?token=t',
  runbook: 'https://runbooks.example/resume',
};
const facts: LossFacts = {
  events: '34',
  eventsAtLeast: true,
  sessions: 3,
  calls: 1,
  incident: { id: '9', title: 'pay loses events' },
  proof: { session: 's', path: '/attempts/1', server: 'pay' },
  detail: 'raised by hand',
};
const alert = (server: string, index = 0): Instance => ({
  kind: 'breach',
  phase: 'firing',
  labels: { server, node: `n${index}` },
  sinceMs: 1000,
  openedAtMs: 1000,
  lastBreachMs: 1000,
  value: 3,
  group: 'g',
});

function message(
  kind: NoticeKind,
  firing: readonly Instance[],
  severity: (typeof SEVERITIES)[number] = 'critical',
  server = 'pay',
): Notification {
  const rule = ruleOf({ name: 'unsafe-resume', measure: 'unsafe_resume', threshold: 1, group_by: ['server', 'node'], severity });
  const isOver = kind === 'resolve' || kind === 'missed';
  const closed = isOver ? [{ labels: { server, node: 'n0' }, openedAtMs: 1000, closedAtMs: 2000 }] : [];
  const notice: Notice = {
    kind,
    episode: 1,
    startedAtMs: 1000,
    endedAtMs: isOver ? 2000 : null,
    firing: isOver ? [] : firing,
    closed,
    escalated: false,
  };
  return notificationOf(rule, { key: '[["server","pay"]]', labels: { server } }, notice, facts, links, 3000);
}

const textOf = (type: ChannelType, notification: Notification): string => renderBodies(type, 'oncall', notification).join('\n');
const bodiesOf = (type: ChannelType, notification: Notification): Record<string, unknown>[] =>
  renderBodies(type, 'oncall', notification).map((body) => JSON.parse(body));
const bodyOf = (type: ChannelType, notification: Notification): Record<string, unknown> => bodiesOf(type, notification)[0] ?? {};
const KINDS: readonly NoticeKind[] = ['open', 'update', 'repeat', 'escalate', 'resolve', 'missed'];

test.each(KINDS)('%s is a valid PagerDuty event, Alertmanager body and Slack message', (kind) => {
  for (const severity of SEVERITIES) {
    const notification = message(kind, [alert('pay')], severity);
    for (const event of bodiesOf('pagerduty', notification))
      expect([...pagerDutyEvent.Errors({ routing_key: 'k'.repeat(32), ...event })]).toEqual([]);
    expect([...alertmanagerBody.Errors(bodyOf('alertmanager', notification))]).toEqual([]);
    expect([...slackMessage.Errors(bodyOf('slack', notification))]).toEqual([]);
  }
});

test('what came and went unevaluated is a PagerDuty incident that is over as soon as it is there', () => {
  const [trigger, resolve, ...others] = bodiesOf('pagerduty', message('missed', []));
  expect([trigger?.['event_action'], resolve?.['event_action'], others]).toEqual(['trigger', 'resolve', []]);
  expect(trigger?.['dedup_key']).toBe(resolve?.['dedup_key']);
  expect(trigger?.['payload']).toMatchObject({ summary: expect.stringContaining('Came and went') });
});

test('opening and resolve are the same incident for every receiver', () => {
  const open = message('open', [alert('pay')]);
  const resolve = message('resolve', []);
  expect(bodyOf('pagerduty', open)['dedup_key']).toBe(bodyOf('pagerduty', resolve)['dedup_key']);
  expect(bodyOf('alertmanager', open)['groupKey']).toBe(bodyOf('alertmanager', resolve)['groupKey']);
  const fingerprints = [open, resolve].map((notification) => notification.alerts.map(({ fingerprint }) => fingerprint));
  expect(fingerprints[0]).toEqual(fingerprints[1]);
});

test('a message says what is lost, since when, how much, where the proof is and what to do', () => {
  const notification = message('open', [alert('pay')]);
  for (const type of CHANNEL_TYPES) {
    const body = textOf(type, notification);
    expect(body, type).toContain('Clients are being resumed across missing events');
    expect(body, type).toContain('on pay');
    expect(body, type).toMatch(/at least 34 events lost, 3 sessions, 1 call/);
    expect(body, type).toContain('1970-01-01T00:00:01.000Z');
    expect(body, type).toContain(links.proof);
    expect(body, type).toContain(links.incident);
    expect(body, type).toContain('refuse such cursors');
    expect(body, type).toContain('raised by hand');
  }
});

test.each(CHANNEL_TYPES)('ten thousand alerts are one bounded %s message that counts what it leaves out', (type) => {
  const firing = Array.from({ length: 10_000 }, (_, index) => alert('ü'.repeat(250), index));
  const body = textOf(type, message('open', firing));
  expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  expect(body).toMatch(/99[89]\d|9995/);
});

test('labels from telemetry cannot speak Slack or break a mail header', () => {
  const hostile = '<!channel> & <https://evil.example|ok>\r\nBcc: x@y';
  const slack = textOf('slack', message('open', [alert(hostile)], 'critical', hostile));
  expect(JSON.parse(slack).blocks[1].text.text).not.toMatch(/<[!h]/);
  const mail = bodyOf('email', message('open', [alert(hostile)], 'critical', hostile));
  expect(mail['subject']).not.toMatch(/[\r\n]/);
});

test('a dedup key is stable, within the limit of PagerDuty, and tells long keys apart', () => {
  expect(dedupKey('r', 'g')).toBe('tidemark:r:g');
  const [a, b] = ['a', 'b'].map((end) => dedupKey('r', `${'x'.repeat(400)}${end}`));
  expect(a).toHaveLength(255);
  expect(a).not.toBe(b);
});
