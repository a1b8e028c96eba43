'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { useProxyRoutes } from '@/components/api/use-proxy';
import { countOf } from '@/components/format/count';
import css from '@/components/overview/servers-page.module.css';
import { RouteDetail } from '@/components/proxy/route-detail';
import { RoutesTable } from '@/components/proxy/routes-table';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { CopyButton } from '@/components/ui/copy-button';
import { SectionHead } from '@/components/ui/section-head';

const EXAMPLE = '{"proxy":{"routes":[{"name":"payments","upstream":"http://127.0.0.1:3001/mcp","mode":"shadow"}]}}';

/** The routes of the enforcing proxy: what passes, what is refused, what enforcing would change. */
export function ProxyRoutesPage() {
  const routes = useProxyRoutes();
  const items = routes.data?.items;
  const [chosen, choose] = useQueryState('route', parseAsString);
  const route = items?.find(({ name }) => name === chosen) ?? items?.[0];
  return (
    <>
      <TopBar title="Proxy">
        <RangePicker />
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of proxy routes" query={routes} />
        <div className={css['body']}>
          {items === undefined && routes.isPending && <Bone height={240} />}
          {items?.length === 0 && (
            <Empty title="No route is configured" acts={<CopyButton text={EXAMPLE} label="Copy an example" />}>
              Name the servers that the proxy stands in front of in the file of <code>TIDEMARK_CONFIG</code>, begin in mode{' '}
              <code>shadow</code>, and start again.
            </Empty>
          )}
          {items !== undefined && items.length > 0 && (
            <>
              <SectionHead title={countOf(items.length, 'route')} sub="counts since this process started" />
              <RoutesTable routes={items} chosen={route?.name ?? null} onChoose={(name) => void choose(name)} />
            </>
          )}
        </div>
        {route !== undefined && <RouteDetail key={route.name} route={route} />}
      </main>
    </>
  );
}
