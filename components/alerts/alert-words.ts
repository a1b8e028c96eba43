import { countOf, listOf } from '@/components/format/count';
import { sinceWords } from '@/components/format/instant';
import type { AlertItem } from '@/lib/alerting/answer-schema';
import type { Labels } from '@/lib/alerting/labels';

/** Labels in one line: `server pay, node n2`; what no label tells apart is `all servers`. */
export function labelWords(labels: Labels): string {
  const words = Object.entries(labels)
    .filter(([name]) => name !== 'alert_kind')
    .map(([name, value]) => `${name} ${value === '' ? 'unknown' : value}`);
  return words.length === 0 ? 'all servers' : words.join(', ');
}

export interface AlertSentence {
  readonly tone: 'loud' | 'quiet' | 'calm';
  readonly text: string;
  readonly details: string;
}

/** The state of alerting in words: what fires, since when, and whether somebody has taken it on. */
export function alertSentence(items: readonly AlertItem[], nowMs: number): AlertSentence {
  const firing = items.filter(({ state }) => state === 'firing');
  const loud = firing.filter(({ quiet }) => quiet === null);
  const details = detailWords(items, firing);
  if (firing.length === 0) return { tone: 'calm', text: 'No alert is firing.', details };
  if (loud.length === 0) return { tone: 'quiet', text: `${countOf(firing.length, 'alert')} firing, all of them kept quiet.`, details };
  const first = loud.reduce((least, { opened_at }) => Math.min(least, opened_at === null ? nowMs : Date.parse(opened_at)), nowMs);
  const rules = [...new Set(loud.map(({ rule }) => rule))];
  const verb = loud.length === 1 ? 'is' : 'are';
  return {
    tone: 'loud',
    text: `${countOf(loud.length, 'alert')} ${verb} firing since ${sinceWords(first, nowMs)}: ${listOf(rules, 3)}.`,
    details,
  };
}

function detailWords(items: readonly AlertItem[], firing: readonly AlertItem[]): string {
  const of = (state: AlertItem['state']) => items.filter((item) => item.state === state).length;
  const open = firing.filter(
    ({ quiet, episode, acknowledged_at }) => quiet === null && episode !== null && acknowledged_at === null,
  ).length;
  const silenced = firing.filter(({ quiet }) => quiet === 'silenced').length;
  const inhibited = firing.filter(({ quiet }) => quiet === 'inhibited').length;
  const parts = [
    ...(firing.length > 0 ? [open === 0 ? 'Everything that was told is acknowledged' : `${open} not acknowledged`] : []),
    ...(silenced > 0 ? [`${silenced} silenced`] : []),
    ...(inhibited > 0 ? [`${inhibited} told with their cause`] : []),
    `${of('pending')} pending, ${of('recovering')} recovering`,
  ];
  return `${parts.join('; ')}.`;
}

/** A measured value as people write it: whole numbers with separators, shares with three digits. */
export function valueWords(value: number | null): string {
  if (value === null) return 'unknown';
  return Number.isInteger(value) ? value.toLocaleString('en-GB') : value.toLocaleString('en-GB', { maximumSignificantDigits: 3 });
}
