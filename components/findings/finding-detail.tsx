'use client';

import css from '@/components/attempts/attempt-detail.module.css';
import { CitedRecords } from '@/components/findings/cited-records';
import { markOfFinding } from '@/components/findings/finding-mark';
import { findingCount } from '@/components/findings/finding-words';
import { Severity } from '@/components/findings/severity';
import { fullInstant } from '@/components/format/instant';
import { SightLink } from '@/components/sight/sight-link';
import { buttonClass } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';
import type { FindingDetail as Detail } from '@/lib/audit/answer-schema';

/** Code, severity, and whom the history lays it at. */
export function FindingHead({ finding }: { readonly finding: Detail['finding'] }) {
  return (
    <div className={css['line']}>
      <VerdictBadge mark={markOfFinding(finding.code)} look="box" words={finding.code} />
      <Severity level={finding.severity} />
      <span>
        {finding.server}, laid at the {finding.blame}
      </span>
    </div>
  );
}

/** Where one goes from a finding. */
export function FindingActs({ detail, isPeek }: { readonly detail: Detail; readonly isPeek: boolean }) {
  const { finding } = detail;
  const record = firstIllegalOf(detail)?.id;
  return (
    <div className={css['acts']}>
      {finding.session !== null && (
        <SightLink
          className={buttonClass({ look: 'primary' })}
          href={`/sessions/${finding.session}${record === undefined ? '' : `?attempt=${record}`}`}
        >
          Open the session
        </SightLink>
      )}
      {isPeek && (
        <SightLink className={buttonClass({})} href={`/findings/${finding.id}`}>
          Whole proof
        </SightLink>
      )}
      <SightLink className={buttonClass({})} href={`/docs/findings/${finding.code}`}>
        What it means
      </SightLink>
      <CopyButton text={JSON.stringify(detail, null, 2)} label="Copy as JSON" />
    </div>
  );
}

/** Why it is one: the rule, where it was broken, and the smallest change that would have made it legal. */
export function FindingProof({ detail }: { readonly detail: Detail }) {
  const { proof } = detail;
  const first = firstIllegalOf(detail);
  return (
    <section className={css['part']} aria-label="Proof" data-testid="finding-proof">
      <h3>Proof</h3>
      <dl className={css['proof']}>
        <dt>The rule</dt>
        <dd>{sentence(proof.clause)}</dd>
        <dt>What breaks it</dt>
        <dd>{proof.sentence}</dd>
        <dt>First illegal event</dt>
        <dd>
          {first === undefined
            ? 'The record is no longer retained.'
            : `${first.record.type} at ${fullInstant(Date.parse(first.at))}, marked below`}
        </dd>
        <dt>Smallest change</dt>
        <dd className={css['change']}>{proof.smallest_change}</dd>
      </dl>
    </section>
  );
}

export function FindingRecords({ detail }: { readonly detail: Detail }) {
  return (
    <section className={css['part']} aria-label="Cited records">
      <h3>Records that prove it</h3>
      <CitedRecords detail={detail} />
    </section>
  );
}

export function FindingConsequences({ finding }: { readonly finding: Detail['finding'] }) {
  if (finding.consequences.length === 0) return null;
  return (
    <section className={css['part']} aria-label="Consequences">
      <h3>Consequences</h3>
      <ul className={css['step']}>
        {finding.consequences.map(({ kind, message }) => (
          <li key={`${kind} ${message}`}>
            <code>{kind}</code> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function FindingNextStep({ finding }: { readonly finding: Detail['finding'] }) {
  return (
    <section className={css['part']} aria-label="Next step">
      <h3>Next step</h3>
      <p className={css['step']}>{finding.next_step}</p>
    </section>
  );
}

export function FindingFacts({ finding }: { readonly finding: Detail['finding'] }) {
  const lines: readonly (readonly [string, string])[] = [
    ['Count', findingCount(finding)],
    ['First, last', `${finding.first ?? 'none'}, ${finding.last ?? 'none'}`],
    ['Session', finding.session_label ?? 'none: it is about the server'],
    ['Stream, conn.', `${finding.stream ?? 'none'}, ${finding.conn ?? 'none'}`],
    ['At', fullInstant(Date.parse(finding.at))],
    ['Known since', fullInstant(Date.parse(finding.known_at))],
    ['Last changed', fullInstant(Date.parse(finding.changed_at))],
    ['Standing', finding.is_provisional ? 'rests on a silence; what comes later may take it back' : 'proved'],
  ];
  return (
    <section className={css['part']} aria-label="Facts">
      <h3>Facts</h3>
      <dl className={css['facts']}>
        {lines.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The cited record that is the first illegal one, when it is still retained. */
export function firstIllegalOf({ proof, records }: Detail): Detail['records'][number] | undefined {
  return records.find(({ index }) => index === proof.first_illegal);
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
