import { type Labels, labelKey, pick } from '@/lib/alerting/labels';
import { isZeroOfNothing } from '@/lib/alerting/measures';
import { isBreach, type Rule } from '@/lib/alerting/rule';
import type { Sample } from '@/lib/alerting/sample';

/** What an alert is about: the measure itself, the lack of anything to measure, or a measure that cannot be read. */
export type AlertKind = 'breach' | 'no_data' | 'error';

/** One alert of a rule that is not `normal`: normal ones are not kept. */
export interface Instance {
  readonly kind: AlertKind;
  readonly phase: 'pending' | 'firing' | 'recovering';
  readonly labels: Labels;
  /** Start of the phase. */
  readonly sinceMs: number;
  /** When it began to fire; null while pending. */
  readonly openedAtMs: number | null;
  readonly lastBreachMs: number;
  readonly value: number | null;
  /** The notification that it belongs to, decided when it began to fire. */
  readonly group: string;
}

export interface RuleState {
  readonly evaluatedAtMs: number | null;
  readonly instances: Readonly<Record<string, Instance>>;
}

/** What was read for one instant: samples, or the reason why there are none. */
export type Reading = { readonly ok: true; readonly samples: readonly Sample[] } | { readonly ok: false; readonly message: string };

export type Effect =
  | { readonly type: 'open'; readonly key: string; readonly instance: Instance; readonly atMs: number }
  | { readonly type: 'close'; readonly key: string; readonly instance: Instance; readonly atMs: number };

export const NEW_RULE_STATE: RuleState = { evaluatedAtMs: null, instances: {} };

/** Alerts of one rule that are followed at a time; beyond it new ones wait until others close. */
export const INSTANCES_MAX = 10_000;
/** Notifications of one rule that may be open at a time; beyond it new alerts share one. */
export const GROUPS_MAX = 25;
/** Group of the alerts that came when `GROUPS_MAX` was reached. */
export const OVERFLOW_GROUP = '*';
/** A failing read is told after this long, so that a restarting database wakes nobody. */
const ERROR_FOR_MS = 60_000;
/** An alert whose labels report nothing any more is held for at most this long. */
const HELD_MAX_MS = 86_400_000;

const NO_DATA_KEY = '!no_data';
const ERROR_KEY = '!error';

/**
 * Takes a rule one instant further: `normal → pending → firing → recovering → normal`, each alert on its own.
 *
 * A failed read moves no alert; it is an alert of its own kind, as is the lack of data where the rule asks for
 * it. Time never runs backwards: an instant before the last one counts as the last one. Every `close` has an
 * `open` before it, and no alert opens twice without a `close` between.
 */
export function evaluate(rule: Rule, state: RuleState, reading: Reading, atMs: number): [RuleState, Effect[]] {
  const now = Math.max(atMs, state.evaluatedAtMs ?? atMs);
  const step = new Step(rule, state, now);
  step.health(ERROR_KEY, 'error', !reading.ok, Math.max(rule.forMs, ERROR_FOR_MS));
  if (!reading.ok) return step.end();

  const values = new Map<string, Sample>();
  for (const sample of reading.samples) values.set(labelKey(sample.labels), sample);
  const isEmpty = ![...values.values()].some(({ value }) => value !== null);
  step.health(NO_DATA_KEY, 'no_data', rule.noData === 'alert' && isEmpty, rule.forMs);
  for (const [key, sample] of values) step.measure(key, sample);
  step.absent(values);
  return step.end();
}

/** Ends every alert of a rule that was removed or disabled. */
export function closeAll(state: RuleState, atMs: number): [RuleState, Effect[]] {
  const effects = Object.entries(state.instances).flatMap(([key, instance]): Effect[] =>
    instance.openedAtMs === null ? [] : [{ type: 'close', key, instance, atMs }],
  );
  return [{ evaluatedAtMs: atMs, instances: {} }, effects];
}

/** One evaluation under way; lives no longer than `evaluate`. */
class Step {
  private readonly next = new Map<string, Instance>();
  private readonly effects: Effect[] = [];
  private readonly known: ReadonlyMap<string, Instance>;
  private readonly groups = new Set<string>();
  private readonly isCount: boolean;

  constructor(
    private readonly rule: Rule,
    state: RuleState,
    private readonly now: number,
  ) {
    this.isCount = isZeroOfNothing(rule.measure);
    this.known = new Map(Object.entries(state.instances));
    for (const [key, instance] of this.known) {
      this.next.set(key, instance);
      if (instance.openedAtMs !== null) this.groups.add(instance.group);
    }
  }

  health(key: string, kind: AlertKind, isBad: boolean, forMs: number): void {
    this.advance(key, kind, { alert_kind: kind }, null, isBad, forMs);
  }

  measure(key: string, { labels, value }: Sample): void {
    if (value === null) this.unmeasured(key);
    else this.advance(key, 'breach', labels, value, isBreach(this.rule, value), this.rule.forMs);
  }

  /** Alerts without a sample: a count that found nothing is zero, anything else is left to the rule's policy. */
  absent(values: ReadonlyMap<string, Sample>): void {
    for (const [key, instance] of this.known) if (instance.kind === 'breach' && !values.has(key)) this.unmeasured(key);
  }

  private unmeasured(key: string): void {
    const instance = this.known.get(key);
    if (instance === undefined) return;
    if (this.isCount) this.advance(key, 'breach', instance.labels, 0, isBreach(this.rule, 0), this.rule.forMs);
    else if (!this.isHeld(instance)) this.advance(key, instance.kind, instance.labels, null, false, this.rule.forMs);
  }

  private isHeld(instance: Instance): boolean {
    return this.rule.noData !== 'ok' && this.now - instance.lastBreachMs < HELD_MAX_MS;
  }

  private advance(key: string, kind: AlertKind, labels: Labels, value: number | null, isBad: boolean, forMs: number): void {
    const instance = this.known.get(key);
    if (isBad) this.breach(key, instance ?? this.fresh(kind, labels), value, forMs);
    else if (instance !== undefined) this.calm(key, instance, value);
  }

  private fresh(kind: AlertKind, labels: Labels): Instance {
    return { kind, phase: 'pending', labels, sinceMs: this.now, openedAtMs: null, lastBreachMs: this.now, value: null, group: '' };
  }

  private breach(key: string, instance: Instance, value: number | null, forMs: number): void {
    if (!this.known.has(key) && this.next.size >= INSTANCES_MAX) return;
    const seen = { ...instance, value, lastBreachMs: this.now };
    if (seen.phase === 'recovering') this.next.set(key, { ...seen, phase: 'firing', sinceMs: this.now });
    else if (seen.phase === 'firing' || this.now - seen.sinceMs < forMs) this.next.set(key, seen);
    else {
      const opened: Instance = { ...seen, phase: 'firing', sinceMs: this.now, openedAtMs: this.now, group: this.groupOf(seen) };
      this.next.set(key, opened);
      this.effects.push({ type: 'open', key, instance: opened, atMs: this.now });
    }
  }

  private calm(key: string, instance: Instance, value: number | null): void {
    if (instance.phase === 'pending') {
      this.next.delete(key);
      return;
    }
    const since = instance.phase === 'firing' ? this.now : instance.sinceMs;
    if (this.now - since < this.rule.keepFiringMs) {
      this.next.set(key, { ...instance, phase: 'recovering', sinceMs: since, value });
      return;
    }
    this.next.delete(key);
    this.effects.push({ type: 'close', key, instance, atMs: this.now });
  }

  private groupOf(instance: Instance): string {
    const group = instance.kind === 'breach' ? labelKey(pick(instance.labels, this.rule.notifyBy)) : instance.kind;
    if (this.groups.has(group)) return group;
    const taken = this.groups.size >= GROUPS_MAX ? OVERFLOW_GROUP : group;
    this.groups.add(taken);
    return taken;
  }

  end(): [RuleState, Effect[]] {
    return [{ evaluatedAtMs: this.now, instances: Object.fromEntries(this.next) }, this.effects];
  }
}
