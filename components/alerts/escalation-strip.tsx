'use client';

import { escalationSteps } from '@/components/alerts/escalation-steps';
import css from '@/components/alerts/escalation-strip.module.css';
import { useNow } from '@/components/format/use-now';
import { cx } from '@/components/ui/cx';
import type { AlertItem } from '@/lib/alerting/answer-schema';

/** Draws how far an alert has gone: fired, told, acknowledged, escalated. */
export function EscalationStrip({ alert }: { readonly alert: AlertItem }) {
  const now = useNow();
  return (
    <ol className={css['strip']} aria-label="How far it has gone">
      {escalationSteps(alert, now).map(({ name, words, state }) => (
        <li key={name} className={cx(css['step'], css[state])}>
          <b>{name}</b> <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}
