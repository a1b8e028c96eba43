import { listOf } from '@/components/format/count';
import { durationWords, timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { AlertItem } from '@/lib/alerting/answer-schema';

export interface EscalationStep {
  readonly name: string;
  readonly words: string;
  /** `done`, still to come, or prevented. */
  readonly state: 'done' | 'coming' | 'spared';
}

const at = (instant: string): string => `${timeOfDay(Date.parse(instant), 'min')} ${zoneName(Date.parse(instant))}`;

/** The way of an alert from its first breach to the second channels, in the order in which it goes. */
export function escalationSteps(alert: AlertItem, nowMs: number): EscalationStep[] {
  const steps: EscalationStep[] = [
    { name: alert.opened_at === null ? 'past its threshold' : 'fired', words: at(alert.opened_at ?? alert.since), state: 'done' },
  ];
  if (alert.opened_at === null) return [...steps, { name: 'fires', words: 'when it lasts', state: 'coming' }];
  if (alert.told_at !== null) steps.push({ name: 'told', words: at(alert.told_at), state: 'done' });
  else
    steps.push({ name: 'told', words: alert.quiet === null ? 'shortly' : 'kept quiet', state: alert.quiet === null ? 'coming' : 'spared' });
  if (alert.acknowledged_at !== null)
    steps.push({ name: 'acknowledged', words: `${at(alert.acknowledged_at)} by ${alert.acknowledged_by ?? 'somebody'}`, state: 'done' });
  return [...steps, ...escalation(alert, nowMs)];
}

function escalation(alert: AlertItem, nowMs: number): EscalationStep[] {
  if (alert.escalate_channels.length === 0) return [];
  const name = `escalated to ${listOf(alert.escalate_channels)}`;
  if (alert.escalated_at !== null) return [{ name, words: at(alert.escalated_at), state: 'done' }];
  if (alert.escalates_at === null) return [{ name, words: 'not needed', state: 'spared' }];
  const left = Date.parse(alert.escalates_at) - nowMs;
  return [{ name, words: left <= 0 ? 'now' : `in ${durationWords(left)} unless acknowledged`, state: 'coming' }];
}
