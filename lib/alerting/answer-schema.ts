import Type from 'typebox';
import { NOTICE_KINDS } from '@/lib/alerting/group';
import { CHANNEL_TYPES } from '@/lib/alerting/render';
import { RuleInput, SEVERITIES } from '@/lib/alerting/rule';
import { MATCH_OPERATORS } from '@/lib/alerting/silence';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

/** JSON Schemas of what the API answers about alerting; routes, the OpenAPI document and the pages share them. */
const Labels = Type.Record(Type.String(), Type.String());

/** How a rule stands: the most urgent phase among its alerts, its health told apart. */
export const RULE_STATES = ['error', 'no_data', 'firing', 'recovering', 'pending', 'normal', 'off'] as const;
export type RuleStateWord = (typeof RULE_STATES)[number];
export const ORIGINS = ['preset', 'config', 'api'] as const;
export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const AlertItem = Type.Object({
  rule: Type.String(),
  severity: literals(SEVERITIES),
  kind: literals(['breach', 'no_data', 'error']),
  state: literals(['pending', 'firing', 'recovering']),
  labels: Labels,
  value: Nullable(Type.Number()),
  since: Instant,
  opened_at: Nullable(Instant),
  /** What is happening, in words, and what to do about it. */
  headline: Type.String(),
  next_step: Type.String(),
  condition: Type.String(),
  runbook: Nullable(Type.String()),
  /** Why it is not told although it fires. */
  quiet: Nullable(literals(['silenced', 'inhibited'])),
  /** Names the notification that it belongs to; with `episode` it is what an acknowledgement takes. */
  group: Type.String(),
  episode: Nullable(Type.Integer()),
  told_at: Nullable(Instant),
  acknowledged_at: Nullable(Instant),
  acknowledged_by: Nullable(Type.String()),
  /** When it goes to the second channels unless somebody acknowledges it; null when it does not, or has. */
  escalates_at: Nullable(Instant),
  escalated_at: Nullable(Instant),
  escalate_channels: Type.Array(Type.String()),
});
export type AlertItem = Type.Static<typeof AlertItem>;

/** `evaluated_at` is the newest evaluation of any rule; null before the first. */
export const AlertList = Type.Object({ items: Type.Array(AlertItem), evaluated_at: Nullable(Instant) });
export type AlertList = Type.Static<typeof AlertList>;

export const RuleItem = Type.Object({
  rule: RuleInput,
  origin: literals(ORIGINS),
  /** Set in the configuration file: to be read here, and changed there. */
  is_read_only: Type.Boolean(),
  /** Whether a preset of its name comes back when it is removed. */
  overrides_preset: Type.Boolean(),
  state: literals(RULE_STATES),
  alerts: Count,
  evaluated_at: Nullable(Instant),
  /** How often it began to fire within the last seven days, and when last. */
  fired: Count,
  fired_at: Nullable(Instant),
});
export type RuleItem = Type.Static<typeof RuleItem>;
export const RuleList = Type.Object({ items: Type.Array(RuleItem) });
export type RuleList = Type.Static<typeof RuleList>;

export const PreviewAnswer = Type.Object({
  from: Instant,
  to: Instant,
  fired: Count,
  episodes: Type.Array(Type.Object({ labels: Labels, opened_at: Instant, closed_at: Nullable(Instant) })),
  points: Type.Array(Type.Object({ at: Instant, value: Nullable(Type.Number()), firing: Count })),
});
export type PreviewAnswer = Type.Static<typeof PreviewAnswer>;

const AlertEvent = Type.Object({
  id: Type.String(),
  at: Instant,
  type: literals(['opened', 'closed', 'missed', 'told', 'acknowledged']),
  rule: Type.String(),
  labels: Labels,
  detail: Nullable(Type.String()),
});
export type AlertEvent = Type.Static<typeof AlertEvent>;
export const AlertEventList = Type.Object({ items: Type.Array(AlertEvent) });
export type AlertEventList = Type.Static<typeof AlertEventList>;

export const ChannelItem = Type.Object({
  name: Type.String(),
  type: literals(CHANNEL_TYPES),
  /** Scheme and host only: the rest of an address is a credential. */
  target: Type.String(),
  origin: literals(['config', 'api']),
  is_read_only: Type.Boolean(),
  has_secret: Type.Boolean(),
  rotating_until: Nullable(Instant),
  /** Failures in a row of the channel as a whole. */
  failures: Count,
  paused_until: Nullable(Instant),
  disabled_reason: Nullable(Type.String()),
  waiting: Count,
  dead: Count,
});
export type ChannelItem = Type.Static<typeof ChannelItem>;
export const ChannelList = Type.Object({ items: Type.Array(ChannelItem) });
export type ChannelList = Type.Static<typeof ChannelList>;

export const MatcherSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 256, description: 'text of 1 to 256 characters' }),
  op: literals(MATCH_OPERATORS),
  value: Type.String({ maxLength: 256 }),
});
export const SilenceItem = Type.Object({
  id: Type.String(),
  matchers: Type.Array(MatcherSchema),
  starts_at: Instant,
  ends_at: Instant,
  comment: Type.String(),
  author: Type.String(),
  /** Firing alerts that it keeps quiet now. */
  quiet: Count,
});
export type SilenceItem = Type.Static<typeof SilenceItem>;
const InhibitionItem = Type.Object({
  source: Type.Array(MatcherSchema),
  target: Type.Array(MatcherSchema),
  equal: Type.Array(Type.String()),
});
export type InhibitionItem = Type.Static<typeof InhibitionItem>;
export const SilenceList = Type.Object({ items: Type.Array(SilenceItem), inhibitions: Type.Array(InhibitionItem) });
export type SilenceList = Type.Static<typeof SilenceList>;

export const DeliveryItem = Type.Object({
  id: Type.String(),
  channel: Type.String(),
  rule: Type.String(),
  kind: literals([...NOTICE_KINDS, 'test']),
  state: literals(DELIVERY_STATES),
  attempts: Count,
  created_at: Instant,
  next_at: Nullable(Instant),
  finished_at: Nullable(Instant),
  dead_reason: Nullable(Type.String()),
  /** Of the newest attempt. */
  status: Nullable(Type.Integer()),
  latency_ms: Nullable(Count),
  error: Nullable(Type.String()),
});
export type DeliveryItem = Type.Static<typeof DeliveryItem>;
export const DeliveryPage = Type.Object({ items: Type.Array(DeliveryItem), next: Nullable(Type.String()) });
export type DeliveryPage = Type.Static<typeof DeliveryPage>;

const DeliveryAttempt = Type.Object({
  number: Count,
  at: Instant,
  outcome: literals(['delivered', 'refused', 'unavailable', 'gone']),
  status: Nullable(Type.Integer()),
  latency_ms: Count,
  error: Nullable(Type.String()),
  response_head: Nullable(Type.String()),
});
export type DeliveryAttempt = Type.Static<typeof DeliveryAttempt>;
export const DeliveryDetail = Type.Interface([DeliveryItem], { body: Type.String(), log: Type.Array(DeliveryAttempt) });
export type DeliveryDetail = Type.Static<typeof DeliveryDetail>;
