import type { RuleState } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import type { Labels } from '@/lib/alerting/labels';
import type { Rule } from '@/lib/alerting/rule';
import type { Silence } from '@/lib/alerting/silence';
import type { NewDelivery } from '@/lib/delivery/outbox';

/** What is remembered of one rule between evaluations. */
export interface StoredRule {
  /** The rule as it was evaluated last: what it needs to end well after it was removed. */
  readonly rule: Rule;
  readonly state: RuleState;
  readonly groups: Readonly<Record<string, Group>>;
  /** Since when it has been evaluated without interruption. */
  readonly coveredFromMs: number;
}

export interface AlertEvent {
  readonly type: 'opened' | 'closed' | 'missed' | 'told' | 'acknowledged';
  readonly rule: string;
  readonly groupKey: string;
  readonly labels: Labels;
  readonly detail: string | null;
}

/** One evaluation's transaction: all of it happens, or nothing. */
export interface Evaluation {
  readonly load: () => Promise<ReadonlyMap<string, StoredRule>>;
  readonly silences: (nowMs: number) => Promise<readonly Silence[]>;
  /** Endpoints that were told of an episode. */
  readonly endpointsTold: (rule: string, groupKey: string, episode: number) => Promise<readonly string[]>;
  readonly save: (name: string, stored: StoredRule, evaluatedAtMs: number) => Promise<void>;
  readonly forget: (name: string) => Promise<void>;
  /** Notes that these rules were evaluated, changed or not. */
  readonly touch: (names: readonly string[], nowMs: number) => Promise<void>;
  readonly note: (events: readonly AlertEvent[], nowMs: number) => Promise<void>;
  readonly deliver: (deliveries: readonly NewDelivery[], nowMs: number) => Promise<void>;
}

export interface EvaluationStore {
  /** Runs `work` in one transaction while no other process evaluates; null when another one does. */
  readonly underLock: <T>(work: (evaluation: Evaluation) => Promise<T>) => Promise<T | null>;
}
