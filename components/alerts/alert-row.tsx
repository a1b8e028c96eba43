'use client';

import { AckButton } from '@/components/alerts/ack-button';
import { labelWords, valueWords } from '@/components/alerts/alert-words';
import css from '@/components/alerts/alerts.module.css';
import { EscalationStrip } from '@/components/alerts/escalation-strip';
import { matchersText } from '@/components/alerts/matcher-text';
import { SeverityWord } from '@/components/alerts/severity';
import { StateWord } from '@/components/alerts/state-word';
import { SightLink } from '@/components/sight/sight-link';
import { buttonClass } from '@/components/ui/button';
import type { AlertItem } from '@/lib/alerting/answer-schema';

const QUIET: Readonly<Record<NonNullable<AlertItem['quiet']>, string>> = {
  silenced: 'A silence keeps it quiet.',
  inhibited: 'Its cause is told already, so it is not told itself.',
};

/** One alert: what it is about, how it stands, whom it was told, and what can be done. */
export function AlertRow({ alert }: { readonly alert: AlertItem }) {
  const state = alert.kind === 'breach' ? alert.state : alert.state === 'firing' ? alert.kind : alert.state;
  return (
    <li className={css['alert']} data-rule={alert.rule}>
      <div className={css['alertHead']}>
        <StateWord state={state} />
        <SeverityWord severity={alert.severity} />
        <SightLink className={css['ruleLink']} href={`/alerts/rules/${encodeURIComponent(alert.rule)}`}>
          {alert.rule}
        </SightLink>
        <span className={css['labels']}>{labelWords(alert.labels)}</span>
      </div>
      <p className={css['headline']}>{alert.headline}</p>
      <p className={css['sub']}>
        {alert.kind === 'breach' && (
          <>
            Measured {valueWords(alert.value)}; fires at <code>{alert.condition}</code>.{' '}
          </>
        )}
        {alert.next_step}
      </p>
      <EscalationStrip alert={alert} />
      {alert.quiet !== null && <p className={css['sub']}>{QUIET[alert.quiet]}</p>}
      <div className={css['acts']}>
        <AckButton alert={alert} />
        <SightLink className={buttonClass({})} href={`/alerts?tab=silences&match=${encodeURIComponent(silenceOf(alert))}`}>
          Silence
        </SightLink>
        {alert.labels['server'] !== undefined && (
          <SightLink className={buttonClass({})} href={`/attempts?server=${encodeURIComponent(alert.labels['server'])}`}>
            Attempts
          </SightLink>
        )}
        {alert.runbook !== null && (
          <a className={buttonClass({})} href={alert.runbook} rel="noreferrer" target="_blank">
            Runbook
          </a>
        )}
      </div>
    </li>
  );
}

const silenceOf = ({ rule, labels }: AlertItem): string =>
  matchersText([
    { name: 'alertname', op: '=', value: rule },
    ...Object.entries(labels)
      .filter(([name]) => name !== 'alert_kind')
      .map(([name, value]) => ({ name, op: '=' as const, value })),
  ]);
