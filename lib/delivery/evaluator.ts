import { closeAll } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import type { Rule } from '@/lib/alerting/rule';
import type { Inhibition } from '@/lib/alerting/silence';
import type { AlertEvent, Evaluation, EvaluationStore, StoredRule } from '@/lib/delivery/evaluation-store';
import { advanceGroups, type GroupNotice } from '@/lib/delivery/group-views';
import type { MeasureSource } from '@/lib/delivery/measure-source';
import type { NewDelivery } from '@/lib/delivery/outbox';
import { evaluateRule, type RuleOutcome } from '@/lib/delivery/read-rule';

export interface EvaluatorParts {
  readonly store: EvaluationStore;
  readonly source: MeasureSource;
  readonly rules: () => Promise<readonly Rule[]>;
  readonly inhibitions: readonly Inhibition[];
  /** Writes the messages of a notice, one for each channel that is to have it. */
  readonly compose: (notice: GroupNotice, told: readonly string[], nowMs: number) => Promise<readonly NewDelivery[]>;
  readonly now: () => number;
  /** Told of a rule whose measure could not be read. */
  readonly onFailure?: (rule: string, message: string) => void;
}

export interface TickResult {
  readonly evaluated: number;
  readonly notices: number;
  readonly deliveries: number;
}

/** Another process has just evaluated when this much has not passed yet. */
const FRESH_MS = 200;
/** A rule that waits for a state to last is read no more often than this, however much is stored. */
const LASTING_EVERY_MS = 9_000;
/** Alerts whose opening or closing is noted one by one in a tick; more are only counted by their notification. */
const EVENTS_MAX = 500;

/** Evaluates every rule and stores what follows, alerts and messages alike, in one transaction. */
export class Evaluator {
  readonly #parts: EvaluatorParts;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /** One evaluation of all rules; null when another process is at it, or has only just been: it may have missed what was stored since. */
  tick(): Promise<TickResult | null> {
    return this.#parts.store.underLock((evaluation) => this.#evaluate(evaluation));
  }

  async #evaluate(evaluation: Evaluation): Promise<TickResult | null> {
    const nowMs = this.#parts.now();
    const stored = await evaluation.load();
    if ([...stored.values()].some(({ state }) => nowMs - (state.evaluatedAtMs ?? 0) < FRESH_MS)) return null;
    const outcomes = await this.#outcomes(stored, nowMs);
    const silences = await evaluation.silences(nowMs);
    const known = (rule: string): Readonly<Record<string, Group>> => stored.get(rule)?.groups ?? {};
    const { groups, notices } = advanceGroups(outcomes, known, silences, this.#parts.inhibitions, nowMs);
    const deliveries = await this.#compose(evaluation, notices, nowMs);
    const live = new Set((await this.#parts.rules()).filter(({ enabled }) => enabled).map(({ name }) => name));
    for (const outcome of outcomes) await save(evaluation, stored, outcome, groups.get(outcome.rule.name) ?? {}, live, nowMs);
    await evaluation.touch(
      outcomes.filter(({ state }) => state.evaluatedAtMs === nowMs).map(({ rule }) => rule.name),
      nowMs,
    );
    await evaluation.note(eventsOf(outcomes, notices), nowMs);
    await evaluation.deliver(deliveries, nowMs);
    return { evaluated: outcomes.length, notices: notices.length, deliveries: deliveries.length };
  }

  async #outcomes(stored: ReadonlyMap<string, StoredRule>, nowMs: number): Promise<RuleOutcome[]> {
    const rules = (await this.#parts.rules()).filter(({ enabled }) => enabled);
    const outcomes: RuleOutcome[] = [];
    for (const rule of rules) {
      const before = stored.get(rule.name);
      if (before !== undefined && !isDue(rule, before, nowMs)) {
        outcomes.push({ rule, state: before.state, effects: [], missed: [], coveredFromMs: before.coveredFromMs, failure: null });
        continue;
      }
      const outcome = await evaluateRule(rule, before, this.#parts.source, nowMs);
      if (outcome.failure !== null) this.#parts.onFailure?.(rule.name, outcome.failure);
      outcomes.push(outcome);
    }
    const names = new Set(rules.map(({ name }) => name));
    for (const [name, { rule, state, coveredFromMs }] of stored) {
      if (names.has(name)) continue;
      const [closed, effects] = closeAll(state, nowMs);
      outcomes.push({ rule, state: closed, effects, missed: [], coveredFromMs, failure: null });
    }
    return outcomes;
  }

  async #compose(evaluation: Evaluation, notices: readonly GroupNotice[], nowMs: number): Promise<NewDelivery[]> {
    const deliveries: NewDelivery[] = [];
    for (const item of notices) {
      const isEnd = item.notice.kind === 'resolve';
      const told = isEnd ? await evaluation.endpointsTold(item.rule.name, item.group.key, item.notice.episode) : [];
      deliveries.push(...(await this.#parts.compose(item, told, nowMs)));
    }
    return deliveries;
  }
}

/** A rule that fires at once is read at every occasion; a changed one is too. */
const isDue = (rule: Rule, before: StoredRule, nowMs: number): boolean =>
  rule.forMs === 0 || nowMs - (before.state.evaluatedAtMs ?? 0) >= LASTING_EVERY_MS || JSON.stringify(rule) !== JSON.stringify(before.rule);

/** Writes down what changed; a rule that is gone is forgotten once nothing of it is open. */
async function save(
  evaluation: Evaluation,
  stored: ReadonlyMap<string, StoredRule>,
  { rule, state, coveredFromMs }: RuleOutcome,
  groups: Record<string, Group>,
  live: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  const after: StoredRule = { rule, state, groups, coveredFromMs };
  const isEmpty = Object.keys(groups).length === 0 && Object.keys(state.instances).length === 0;
  if (!live.has(rule.name) && isEmpty) return evaluation.forget(rule.name);
  const before = stored.get(rule.name);
  if (before === undefined || signatureOf(before) !== signatureOf(after))
    await evaluation.save(rule.name, after, state.evaluatedAtMs ?? nowMs);
}

/** What makes a stored rule worth writing again: not the values that move with every reading. */
const signatureOf = ({ rule, state, groups, coveredFromMs }: StoredRule): string =>
  JSON.stringify([
    rule,
    coveredFromMs,
    groups,
    Object.entries(state.instances).map(([key, { phase, sinceMs, group }]) => [key, phase, sinceMs, group]),
  ]);

function eventsOf(outcomes: readonly RuleOutcome[], notices: readonly GroupNotice[]): AlertEvent[] {
  const events = outcomes.flatMap(({ rule, effects, missed }): AlertEvent[] => [
    ...effects.map(
      ({ type, instance }): AlertEvent => ({
        type: type === 'open' ? 'opened' : 'closed',
        rule: rule.name,
        groupKey: instance.group,
        labels: instance.labels,
        detail: null,
      }),
    ),
    ...missed.map(({ group, labels }): AlertEvent => ({ type: 'missed', rule: rule.name, groupKey: group, labels, detail: null })),
  ]);
  const told = notices.map(
    ({ rule, group, labels, notice }): AlertEvent => ({ type: 'told', rule: rule.name, groupKey: group.key, labels, detail: notice.kind }),
  );
  return [...events.slice(0, Math.max(0, EVENTS_MAX - told.length)), ...told];
}
