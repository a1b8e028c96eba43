'use client';

import { useSessionFacets, useSessionList } from '@/components/api/use-sessions';
import { SESSION_COLUMNS } from '@/components/session/session-columns';
import { SessionPeek } from '@/components/session/session-peek';
import { SESSION_LANGUAGE, sessionFilters, sessionParams, sessionQuery, useSessionFilters } from '@/components/session/use-session-filters';
import { Empty } from '@/components/states/empty';
import type { ExportSource } from '@/components/table/export-list';
import { Facet, toggled } from '@/components/table/facet';
import { ListPage } from '@/components/table/list-page';
import type { View } from '@/components/table/saved-views';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';
import type { SessionItem } from '@/lib/wire/responses';

const VIEWS: readonly View[] = [
  { name: 'All sessions', search: '' },
  { name: 'With unsafe resumes', search: 'unsafe=true' },
];

const EXPORT: ExportSource<SessionItem>['columns'] = [
  { head: 'session', value: (one) => one.ref },
  { head: 'server', value: (one) => one.server },
  { head: 'first_at', value: (one) => one.first_at },
  { head: 'last_at', value: (one) => one.last_at },
  { head: 'records', value: (one) => one.records },
  { head: 'attempts', value: (one) => one.attempts },
  { head: 'unsafe', value: (one) => one.unsafe },
  { head: 'findings', value: (one) => one.findings },
];

const idOf = (session: SessionItem) => session.ref;
const hrefOf = (ref: string) => `/sessions/${ref}`;

/** Every session that was heard of in the range, under filters that live in the URL. */
export function SessionsPage() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useSessionFilters();
  const params = sessionParams(filters);
  const list = useSessionList(range, params);
  const total = useSessionFacets(range, params).data?.total ?? null;
  return (
    <ListPage
      title="Sessions"
      noun="session"
      list={list}
      columns={SESSION_COLUMNS}
      idOf={idOf}
      hrefOf={hrefOf}
      total={total}
      views={VIEWS}
      asked={{
        language: SESSION_LANGUAGE,
        query: sessionQuery(filters),
        onQuery: (query) => setFilters(sessionFilters(query)),
        placeholder: 'unsafe:true -server:ci-mcp',
      }}
      taken={{ path: '/api/v1/sessions', params: params, columns: EXPORT }}
      facets={<SessionFacets />}
      empty={<NoSessions />}
      peek={(id, onClose) => <SessionPeek id={id} onClose={onClose} />}
    />
  );
}

function SessionFacets() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useSessionFilters();
  const unsafe = useSessionFacets(range, sessionParams(filters, 'unsafe')).data;
  const servers = useSessionFacets(range, sessionParams(filters, 'server')).data?.servers ?? [];
  return (
    <>
      <Facet<'true'>
        name="Verdict"
        options={unsafe === undefined || (unsafe.unsafe === 0 && filters.unsafe === null) ? [] : ['true']}
        chosen={filters.unsafe === 'true' ? ['true'] : []}
        counts={new Map([['true', unsafe?.unsafe ?? 0]])}
        onToggle={() => setFilters({ unsafe: filters.unsafe === 'true' ? null : 'true' })}
        wordOf={() => 'with unsafe resumes'}
        markOf={() => 'unsafe_resume'}
      />
      <Facet<string>
        name="Server"
        options={[...new Set([...servers.map(({ server }) => server), ...(filters.server ?? [])])]}
        chosen={filters.server ?? []}
        counts={new Map(servers.map(({ server, sessions }) => [server, sessions]))}
        onToggle={(server) => setFilters({ server: toggled(filters.server, server) })}
      />
    </>
  );
}

function NoSessions() {
  const [, setRange] = useTimeRange();
  return (
    <Empty
      title="No session in this range"
      acts={<Button onClick={() => setRange({ kind: 'relative', preset: '30d' })}>Look at 30 days</Button>}
    >
      No record of any such session arrived in it. Clear the filter or widen the range.
    </Empty>
  );
}
