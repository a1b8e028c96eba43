import { labelWords } from '@/components/alerts/alert-words';
import type { AlertEvent } from '@/lib/alerting/answer-schema';

const TOLD: Readonly<Record<string, string>> = {
  open: 'told',
  update: 'told that more joined',
  repeat: 'told again',
  escalate: 'told to the second channels',
  resolve: 'told that it is over',
  missed: 'told that it came and went unevaluated',
};

/** What happened to an alert, as the end of a sentence that begins with its rule. */
export function eventWords({ type, labels, detail }: AlertEvent): string {
  const where = labelWords(labels);
  switch (type) {
    case 'opened':
      return `began to fire on ${where}`;
    case 'closed':
      return `ended on ${where}`;
    case 'missed':
      return `came and went on ${where} while nobody evaluated`;
    case 'told':
      return `${TOLD[detail ?? ''] ?? 'told'}: ${where}`;
    case 'acknowledged':
      return `acknowledged by ${detail ?? 'somebody'}`;
  }
}
