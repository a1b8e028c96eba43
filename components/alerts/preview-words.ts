import { valueWords } from '@/components/alerts/alert-words';
import { countOf } from '@/components/format/count';
import { durationWords } from '@/components/format/instant';
import type { PreviewAnswer } from '@/lib/alerting/answer-schema';
import type { RuleInput } from '@/lib/alerting/rule';

/** What a rule would have done, in a sentence: how often, how long, and how close it came when never. */
export function previewWords(preview: PreviewAnswer, rule: Pick<RuleInput, 'op' | 'threshold'>): string {
  const days = Math.round((Date.parse(preview.to) - Date.parse(preview.from)) / 86_400_000);
  const span = `in the last ${countOf(days, 'day')}`;
  if (preview.fired > 0) {
    const lengths = preview.episodes.map(({ opened_at, closed_at }) => Date.parse(closed_at ?? preview.to) - Date.parse(opened_at));
    const open = preview.episodes.filter(({ closed_at }) => closed_at === null).length;
    const longest = lengths.length === 0 ? '' : ` The longest lasted ${durationWords(Math.max(...lengths))}.`;
    return `It would have fired ${preview.fired === 1 ? 'once' : `${preview.fired.toLocaleString('en-GB')} times`} ${span}.${longest}${open > 0 ? ` ${countOf(open, 'alert')} would still be firing.` : ''}`;
  }
  const values = preview.points.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return `Nothing was measured ${span}: whether it would have fired is unknown.`;
  const isLow = rule.op === '<' || rule.op === '<=';
  const closest = isLow ? Math.min(...values) : Math.max(...values);
  return `It would not have fired ${span}. The ${isLow ? 'lowest' : 'highest'} value was ${valueWords(closest)}; it fires at ${rule.op ?? '>='} ${valueWords(rule.threshold)}.`;
}
