'use client';

import { useNow } from '@/components/format/use-now';
import { countsByCode } from '@/components/incidents/counts-by-code';
import css from '@/components/incidents/incident-page.module.css';
import { markOfIncident, seenWords, stateWords } from '@/components/incidents/incident-words';
import { OwnerField } from '@/components/incidents/owner-field';
import { cx } from '@/components/ui/cx';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { IncidentDetail } from '@/lib/incidents/answer-schema';

/** What the incident is, what it cost, and how it stands. */
export function IncidentHead({ incident }: { readonly incident: IncidentDetail }) {
  const nowMs = useNow();
  const isHot = incident.state === 'open' && (incident.severity === 'critical' || incident.severity === 'error');
  return (
    <section className={css['head']} aria-label="Incident">
      <div className={css['title']}>
        <VerdictMark mark={markOfIncident(incident)} size={13} />
        <div>
          <h2>{incident.title}</h2>
          <p data-testid="incident-sentence">
            {incident.sentence} Evidence is pinned; retention cannot take it.
            {incident.next_step !== null && <span className={css['next']}> {incident.next_step}</span>}
          </p>
          {incident.merged_into !== null && (
            <p>
              Merged into <TextLink href={`/incidents/${incident.merged_into}`}>another incident</TextLink>.
            </p>
          )}
        </div>
      </div>
      <dl className={css['facts']}>
        <div>
          <dt>State</dt>
          <dd className={cx(isHot && css['hot'])}>{stateWords(incident)}</dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>{seenWords(incident.last_evidence_at, nowMs)}</dd>
        </div>
        <div>
          <dt>Owner</dt>
          <dd>
            <OwnerField incident={incident} />
          </dd>
        </div>
        <div>
          <dt>Findings</dt>
          <dd>{countsByCode(incident.findings)}</dd>
        </div>
      </dl>
    </section>
  );
}
