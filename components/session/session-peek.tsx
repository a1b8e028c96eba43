'use client';

import { useSession, useStoredFindings } from '@/components/api/use-session';
import css from '@/components/attempts/attempt-detail.module.css';
import { markOfFinding } from '@/components/findings/finding-mark';
import { countOf } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { MarkMix } from '@/components/overview/mark-mix';
import { SightLink } from '@/components/sight/sight-link';
import { PeekPanel } from '@/components/table/peek-panel';
import { buttonClass } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { SessionDetail } from '@/lib/wire/responses';

const FINDINGS_SHOWN = 20;

/** One session beside the list. */
export function SessionPeek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const session = useSession(id);
  return (
    <PeekPanel
      what="Session"
      query={session}
      title={session.data === undefined ? null : <code>{session.data.label}</code>}
      onClose={onClose}
    >
      {session.data !== undefined && <Detail session={session.data} />}
    </PeekPanel>
  );
}

function Detail({ session }: { readonly session: SessionDetail }) {
  const findings = useStoredFindings(session.ref).data?.items ?? [];
  const facts: readonly (readonly [string, string])[] = [
    ['Server', session.server],
    ['First heard', fullInstant(Date.parse(session.first_at))],
    ['Last heard', fullInstant(Date.parse(session.last_at))],
    ['Generations', session.generations.join(', ') || 'not reported'],
    ['Streams', countOf(session.streams.length, 'stream')],
    ['Reference', session.ref],
  ];
  return (
    <>
      <section className={css['part']}>
        <p className={css['say']}>
          {countOf(session.attempts, 'resume attempt')} among {countOf(session.records, 'record')}.
        </p>
        <MarkMix marks={session.marks} width={200} />
        <div className={css['acts']}>
          <SightLink className={buttonClass({ look: 'primary' })} href={`/sessions/${session.ref}`}>
            Open the session
          </SightLink>
          <CopyButton text={session.ref} label="Copy reference" />
        </div>
      </section>
      <section className={css['part']} aria-label="Findings">
        <h3>{findings.length === 0 ? 'No finding' : countOf(findings.length, 'finding')}</h3>
        {findings.slice(0, FINDINGS_SHOWN).map((finding) => (
          <p key={finding.id} className={css['line']}>
            <VerdictMark mark={markOfFinding(finding.code)} />
            <TextLink href={`/findings/${finding.id}`}>{finding.code}</TextLink>
            <span>{finding.message}</span>
          </p>
        ))}
      </section>
      <section className={css['part']} aria-label="Facts">
        <h3>Facts</h3>
        <dl className={css['facts']}>
          {facts.map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
