'use client';

import { useMemo } from 'react';
import { ApiFailure } from '@/components/api/api-failure';
import { typedFindings } from '@/components/api/typed-findings';
import { useSharedIncident, useSharedRecords } from '@/components/api/use-shares';
import { Debugger } from '@/components/debugger/debugger';
import { readHistory } from '@/components/debugger/model/history';
import { formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { countsByCode } from '@/components/incidents/counts-by-code';
import css from '@/components/incidents/incident-page.module.css';
import { markOfIncident, stateWords } from '@/components/incidents/incident-words';
import look from '@/components/shared/shared-incident.module.css';
import { BrandMark } from '@/components/shell/brand-mark';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { buttonClass } from '@/components/ui/button';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { SharedIncident } from '@/lib/incidents/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** One incident for whoever has a link to it: what happened, read-only, and no way on from there. */
export function SharedIncidentPage({ token }: { readonly token: string }) {
  const incident = useSharedIncident(token);
  const records = useSharedRecords(token);
  const isOver = incident.error instanceof ApiFailure && incident.error.status === 404;
  return (
    <>
      <header className={look['bar']}>
        <BrandMark />
        <h1>Shared incident</h1>
        <span className={look['space']} />
        {incident.data !== undefined && (
          <>
            <span className={look['until']}>read-only, until {fullInstant(Date.parse(incident.data.shared_until)).slice(0, 16)}</span>
            <a className={buttonClass({})} href={`/api/v1/shared/${encodeURIComponent(token)}/report`} target="_blank" rel="noreferrer">
              Report
            </a>
          </>
        )}
      </header>
      <main id="content">
        {isOver ? (
          <Empty title="This link shows nothing any more">
            It has expired, was revoked, or is not whole. Ask whoever sent it for another.
          </Empty>
        ) : (
          <>
            <QueryFailure what="The incident" query={incident} />
            <QueryFailure what="The records" query={records} />
          </>
        )}
        {incident.data !== undefined && <Head incident={incident.data} />}
        {incident.data !== undefined && records.data !== undefined && <Evidence incident={incident.data} records={records.data} />}
        {records.isPending && !isOver && (
          <div className={css['bones']}>
            <Bone height={460} />
          </div>
        )}
      </main>
    </>
  );
}

function Head({ incident }: { readonly incident: SharedIncident }) {
  const facts = [
    ['State', stateWords(incident)],
    ['Server', incident.server],
    ['Opened', fullInstant(Date.parse(incident.opened_at)).slice(0, 16)],
    ['Findings', countsByCode(incident.findings)],
    ['Records', formatCount(incident.records)],
  ] as const;
  return (
    <section className={css['head']} aria-label="Incident">
      <div className={css['title']}>
        <VerdictMark mark={markOfIncident(incident)} size={13} />
        <div>
          <h2>{incident.title}</h2>
          <p>
            {incident.sentence}
            {incident.next_step !== null && <span className={css['next']}> {incident.next_step}</span>}
          </p>
        </div>
      </div>
      <dl className={css['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Evidence({ incident, records }: { readonly incident: SharedIncident; readonly records: readonly TelemetryRecord[] }) {
  const history = useMemo(() => readHistory(records), [records]);
  const findings = useMemo(() => typedFindings(incident.findings), [incident.findings]);
  if (records.length === 0)
    return <Empty title="No record is pinned">The evidence of this incident is not copied yet. Open it again later.</Empty>;
  return <Debugger key={records.length} history={history} findings={findings} />;
}
