'use client';

import { alertSentence } from '@/components/alerts/alert-words';
import css from '@/components/alerts/alerts.module.css';
import { durationWords } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';
import { Bone } from '@/components/states/bone';
import { cx } from '@/components/ui/cx';
import type { AlertList } from '@/lib/alerting/answer-schema';

/** Rules are evaluated every ten seconds at the latest; from here on something is wrong with that. */
const STALE_MS = 60_000;

/** The state of alerting in a sentence, and whether anybody is looking. */
export function AlertSentenceView({ alerts }: { readonly alerts: AlertList | undefined }) {
  const now = useNow();
  if (alerts === undefined) {
    return (
      <div className={css['say']} role="status" aria-label="Reading the alerts">
        <Bone width="min(520px, 80%)" height={24} />
      </div>
    );
  }
  const sentence = alertSentence(alerts.items, Math.floor(now / 60_000) * 60_000);
  return (
    <section className={css['say']} aria-label="State of alerting">
      <p className={cx(css['big'], css[sentence.tone])} data-testid="alert-sentence">
        {sentence.text}
      </p>
      <p className={css['details']}>
        {sentence.details} <Watch evaluatedAt={alerts.evaluated_at} nowMs={now} />
      </p>
    </section>
  );
}

function Watch({ evaluatedAt, nowMs }: { readonly evaluatedAt: string | null; readonly nowMs: number }) {
  if (evaluatedAt === null) return <>Rules have not been evaluated yet.</>;
  const age = nowMs - Date.parse(evaluatedAt);
  if (age < STALE_MS) return <>Rules are being evaluated.</>;
  return <b className={css['stale']}>Rules were last evaluated {durationWords(age)} ago: what happened since is not known yet.</b>;
}
