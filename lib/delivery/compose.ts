import { randomUUID } from 'node:crypto';
import type { Notice } from '@/lib/alerting/group';
import { type Links, type LossFacts, NO_FACTS, type Notification, notificationOf } from '@/lib/alerting/notification';
import { renderBodies } from '@/lib/alerting/render';
import type { Rule } from '@/lib/alerting/rule';
import type { AckTokens } from '@/lib/delivery/ack-token';
import type { Channel } from '@/lib/delivery/channel';
import type { GroupNotice } from '@/lib/delivery/group-views';
import type { MeasureSource } from '@/lib/delivery/measure-source';
import type { NewDelivery } from '@/lib/delivery/outbox';

export interface ComposerParts {
  readonly source: MeasureSource;
  readonly channels: () => Promise<ReadonlyMap<string, Channel>>;
  readonly tokens: AckTokens;
  /** Where people reach the product, without a slash at its end. */
  readonly baseUrl: () => string;
}

/** Writes the messages of notices: gathers the facts, builds the links, renders one body per channel. */
export class Composer {
  readonly #parts: ComposerParts;

  constructor(parts: ComposerParts) {
    this.#parts = parts;
  }

  /** @param told endpoints that know of the episode; its end goes to them, whatever the rule's channels are by now. */
  async compose(item: GroupNotice, told: readonly string[], nowMs: number): Promise<NewDelivery[]> {
    const { rule, group, labels, notice } = item;
    const channels = await this.#parts.channels();
    const targets = targetsOf(rule, notice, told, [...channels.keys()]);
    if (targets.length === 0) return [];
    const facts = await this.#facts(item, nowMs);
    const links = this.#links(item, facts, nowMs);
    const notification = notificationOf(rule, { key: group.key, labels }, notice, facts, links, nowMs);
    return targets.flatMap((name) => {
      const channel = channels.get(name);
      const bodies = channel === undefined ? [] : renderBodies(channel.type, name, notification);
      return bodies.map((body) => ({
        id: randomUUID(),
        endpoint: name,
        rule: rule.name,
        groupKey: group.key,
        episode: notice.episode,
        kind: notice.kind,
        body,
      }));
    });
  }

  /** A message that shows what a real one would look like, for the test button. */
  test(channel: Channel, nowMs: number): NewDelivery | null {
    const notification: Notification = {
      kind: 'test',
      status: 'firing',
      dedupKey: `tidemark:test:${channel.name}`,
      rule: 'test',
      severity: 'info',
      condition: 'sent by hand from Tidemark',
      group: {},
      headline: `Test of the channel ${channel.name}: nothing is wrong`,
      nextStep: 'Nothing is asked of you.',
      startedAtMs: nowMs,
      endedAtMs: null,
      atMs: nowMs,
      alerts: [{ labels: {}, fingerprint: '0000000000000000', value: null, startsAtMs: nowMs, endsAtMs: null }],
      truncated: 0,
      facts: NO_FACTS,
      links: { alert: `${this.#parts.baseUrl()}/alerts`, proof: null, incident: null, acknowledge: null, runbook: null },
    };
    const [body] = renderBodies(channel.type, channel.name, notification);
    // Each test is a group of its own, so that none waits for another.
    const id = randomUUID();
    return body === undefined ? null : { id, endpoint: channel.name, rule: '', groupKey: id, episode: nowMs, kind: 'test', body };
  }

  /** A message without its facts is better than none. */
  async #facts({ rule, labels, notice }: GroupNotice, nowMs: number): Promise<LossFacts> {
    try {
      return await this.#parts.source.facts(rule, labels, notice.startedAtMs - rule.windowMs, nowMs);
    } catch {
      // The measure itself was read a moment ago; what failed is only the enlargement on it.
      return NO_FACTS;
    }
  }

  #links({ rule, group, notice }: GroupNotice, facts: LossFacts, nowMs: number): Links {
    const base = this.#parts.baseUrl();
    const isFiring = notice.kind !== 'resolve' && notice.kind !== 'missed';
    const token = this.#parts.tokens.sign(rule.name, group.key, notice.episode, nowMs);
    return {
      alert: `${base}/alerts?rule=${encodeURIComponent(rule.name)}`,
      proof: facts.proof === null ? null : `${base}${facts.proof.path}`,
      incident: facts.incident === null ? null : `${base}/incidents/${facts.incident.id}`,
      acknowledge: isFiring ? `${base}/api/v1/alerts/ack?token=${token}` : null,
      runbook: rule.runbook,
    };
  }
}

function targetsOf(rule: Rule, notice: Notice, told: readonly string[], all: readonly string[]): readonly string[] {
  if (notice.kind === 'resolve') return told;
  const second = rule.escalate?.channels ?? [];
  if (notice.kind === 'escalate') return second;
  return rule.channels ?? all.filter((name) => !second.includes(name));
}
