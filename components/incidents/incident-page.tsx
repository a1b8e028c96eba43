'use client';

import { useMemo } from 'react';
import { ApiFailure } from '@/components/api/api-failure';
import { typedFindings } from '@/components/api/typed-findings';
import { INCIDENT_RECORDS_MAX, useIncident, useIncidentRecords } from '@/components/api/use-incidents';
import { Debugger } from '@/components/debugger/debugger';
import { readHistory } from '@/components/debugger/model/history';
import { formatCount } from '@/components/format/count';
import { IncidentActs } from '@/components/incidents/incident-acts';
import { IncidentHead } from '@/components/incidents/incident-head';
import { IncidentLogPane } from '@/components/incidents/incident-log-pane';
import css from '@/components/incidents/incident-page.module.css';
import { IncidentSessionsPane } from '@/components/incidents/incident-sessions-pane';
import { incidentName } from '@/components/incidents/incident-words';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';
import type { IncidentDetail } from '@/lib/incidents/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** One incident: what it is and who has it, and the debugger over its evidence. */
export function IncidentPage({ id }: { readonly id: string }) {
  const incident = useIncident(id);
  const records = useIncidentRecords(id, incident.data?.records ?? null);
  const isUnknown = incident.error instanceof ApiFailure && incident.error.status === 404;
  return (
    <>
      <TopBar title={<code>{incidentName(id)}</code>} parent={{ href: '/incidents', name: 'Incidents' }} isDense>
        {incident.data !== undefined && <IncidentActs incident={incident.data} />}
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown && (
          <Empty title="No incident has this id" acts={<TextLink href="/incidents">All incidents</TextLink>}>
            It was removed, or belongs to another install.
          </Empty>
        )}
        {!isUnknown && <QueryFailure what="The incident" query={incident} />}
        <QueryFailure what="The records" query={records} />
        {incident.data !== undefined && <IncidentHead incident={incident.data} />}
        {incident.data !== undefined && records.data !== undefined && <Evidence incident={incident.data} records={records.data} />}
        {records.isPending && !isUnknown && (
          <div className={css['bones']}>
            <Bone height={460} />
          </div>
        )}
      </main>
    </>
  );
}

function Evidence({ incident, records }: { readonly incident: IncidentDetail; readonly records: readonly TelemetryRecord[] }) {
  const history = useMemo(() => readHistory(records), [records]);
  const findings = useMemo(() => typedFindings(incident.findings), [incident.findings]);
  if (records.length === 0)
    return (
      <Empty title="No record is pinned">
        The evidence of this incident is not copied yet, or names no session. It appears here as soon as it is.
      </Empty>
    );
  return (
    <>
      {records.length >= INCIDENT_RECORDS_MAX && (
        <p className={css['note']}>Only the first {formatCount(INCIDENT_RECORDS_MAX)} records are shown.</p>
      )}
      {!incident.findings_current && <p className={css['note']}>Newly pinned records still wait for their audit.</p>}
      <Debugger key={records.length} history={history} findings={findings}>
        <IncidentSessionsPane incident={incident} />
        <IncidentLogPane id={incident.id} />
      </Debugger>
    </>
  );
}
