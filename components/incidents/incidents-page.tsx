'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type IncidentFilters, useIncidents } from '@/components/api/use-incidents';
import { Severity } from '@/components/findings/severity';
import { Age } from '@/components/format/age';
import { countOf, formatCount } from '@/components/format/count';
import { ImportIncident } from '@/components/incidents/import-incident';
import { incidentName, markOfIncident } from '@/components/incidents/incident-words';
import css from '@/components/incidents/incidents-page.module.css';
import { ProjectSelect } from '@/components/projects/project-select';
import { TopBar } from '@/components/shell/top-bar';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { useRowKeys } from '@/components/table/use-row-keys';
import { Button } from '@/components/ui/button';
import { Scroller } from '@/components/ui/scroller';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { SEVERITIES } from '@/lib/audit/finding';
import { INCIDENT_STATES, type IncidentItem } from '@/lib/incidents/answer-schema';

const FILTERS = { project: parseAsString, state: parseAsString, severity: parseAsString, server: parseAsString };

/** Every incident, the last opened first, and the way to bring one in from elsewhere. */
export function IncidentsPage() {
  const [filters, setFilters] = useQueryStates(FILTERS, { history: 'push' });
  const incidents = useIncidents(filters);
  const items = incidents.data?.pages.flatMap((page) => page.items);
  const counts = incidents.data?.pages[0]?.counts;
  return (
    <>
      <TopBar title="Incidents">
        <ProjectSelect />
        <ImportIncident />
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of incidents" query={incidents} />
        <div className={css['filters']}>
          <fieldset aria-label="State">
            <Choice isOn={filters.state === null} onPress={() => void setFilters({ state: null })}>
              All
            </Choice>
            {INCIDENT_STATES.map((state) => (
              <Choice key={state} isOn={filters.state === state} onPress={() => void setFilters({ state })}>
                {state} {counts !== undefined && <span>{formatCount(counts[state])}</span>}
              </Choice>
            ))}
          </fieldset>
          <fieldset aria-label="Severity">
            {[...SEVERITIES].reverse().map((severity) => (
              <Choice
                key={severity}
                isOn={filters.severity === severity}
                onPress={() => void setFilters({ severity: filters.severity === severity ? null : severity })}
              >
                <Severity level={severity} />
              </Choice>
            ))}
          </fieldset>
          {filters.server !== null && (
            <fieldset aria-label="Server">
              <Choice isOn onPress={() => void setFilters({ server: null })}>
                {filters.server}
              </Choice>
            </fieldset>
          )}
        </div>
        {items === undefined && incidents.isPending && (
          <div className={css['bones']}>
            <Bone height={220} />
          </div>
        )}
        {items !== undefined && items.length === 0 && !incidents.isPlaceholderData && (
          <NoIncidents filters={filters} onClear={() => void setFilters(null)} />
        )}
        {items !== undefined && items.length > 0 && (
          <Held queries={[incidents]}>
            <IncidentTable items={items} />
          </Held>
        )}
        {incidents.hasNextPage && (
          <p className={css['more']}>
            <Button onClick={() => void incidents.fetchNextPage()} disabled={incidents.isFetchingNextPage}>
              Older incidents
            </Button>
          </p>
        )}
      </main>
    </>
  );
}

function Choice({ isOn, onPress, children }: { readonly isOn: boolean; readonly onPress: () => void; readonly children: React.ReactNode }) {
  return (
    <button type="button" className={css['choice']} aria-pressed={isOn} onClick={onPress}>
      {children}
    </button>
  );
}

function NoIncidents({ filters, onClear }: { readonly filters: IncidentFilters; readonly onClear: () => void }) {
  const isFiltered = Object.values(filters).some((value) => value !== null);
  if (isFiltered)
    return (
      <Empty title="No incident matches" acts={<Button onClick={onClear}>Clear the filter</Button>}>
        No incident has this project, state, severity and server.
      </Empty>
    );
  return (
    <Empty title="No incident">
      Tidemark opens one when a resume loses events in silence, when refusals rise above their own baseline, when clients reconnect in a
      loop, and when half of a server&rsquo;s attempts report too little to be judged. A server that falls silent opens none: the overview
      names it. Drop a bundle here to look at one from another install.
    </Empty>
  );
}

function IncidentTable({ items }: { readonly items: readonly IncidentItem[] }) {
  const [current, setCurrent] = useState(-1);
  const onMove = useCallback((by: 1 | -1) => setCurrent((place) => Math.min(items.length - 1, Math.max(0, place + by))), [items.length]);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const row = current < 0 ? undefined : body.current?.rows[current];
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector('a')?.focus({ preventScroll: true });
  }, [current]);
  const onOpen = useCallback(() => {
    if (current >= 0) body.current?.rows[current]?.querySelector('a')?.click();
  }, [current]);
  const onClose = useCallback(() => setCurrent(-1), []);
  useRowKeys({ onMove, onOpen, onClose });
  return (
    <Scroller label="Incidents" className={css['scroll']}>
      <table className={css['table']} aria-label="Incidents">
        <thead>
          <tr>
            <th scope="col">Incident</th>
            <th scope="col">Severity</th>
            <th scope="col">State</th>
            <th scope="col" className={css['wide']}>
              Owner
            </th>
            <th scope="col" className={css['right']}>
              Sessions
            </th>
            <th scope="col" className={css['right']}>
              Last seen
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {items.map((item, place) => (
            <tr key={item.id} data-incident={item.id} aria-current={place === current}>
              <td className={css['what']}>
                <VerdictMark mark={markOfIncident(item)} />
                <div>
                  <SightLink href={`/incidents/${item.id}`}>{item.title}</SightLink>
                  <p>
                    {item.sentence} <span>{incidentName(item.id)}</span>
                    {item.origin === 'imported' && <span>, imported</span>}
                  </p>
                </div>
              </td>
              <td>
                <Severity level={item.severity} />
              </td>
              <td>{item.merged_into === null ? item.state : 'merged'}</td>
              <td className={css['wide']}>{item.owner ?? <span>nobody</span>}</td>
              <td className={css['right']}>
                {item.sessions_at_least ? `≥ ${formatCount(item.sessions_count)}` : formatCount(item.sessions_count)}
              </td>
              <td className={css['right']} title={countOf(item.records, 'record pinned', 'records pinned')}>
                <Age at={item.last_evidence_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
