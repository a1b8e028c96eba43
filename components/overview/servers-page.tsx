'use client';

import { useServers } from '@/components/api/use-reads';
import { countOf } from '@/components/format/count';
import css from '@/components/overview/servers-page.module.css';
import { ServersTable } from '@/components/overview/servers-table';
import { ProjectSelect } from '@/components/projects/project-select';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { SectionHead } from '@/components/ui/section-head';

/** Every server that sent something in the range, the most troubled first. */
export function ServersPage() {
  const [range] = useTimeRange();
  const servers = useServers(range);
  const items = servers.data?.items;
  return (
    <>
      <TopBar title="Servers">
        <ProjectSelect />
        <RangePicker />
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of servers" query={servers} />
        <div className={css['body']}>
          {items === undefined && servers.isPending && <Bone height={240} />}
          {items !== undefined && (
            <Held queries={[servers]}>
              <SectionHead title={countOf(items.length, 'server')} sub="most troubled first; lead, kept and needed in events" />
              {items.length === 0 ? (
                <Empty title="No server in this range">No record of any server arrived in it. Widen the range.</Empty>
              ) : (
                <ServersTable servers={items} hasFindings />
              )}
            </Held>
          )}
        </div>
      </main>
    </>
  );
}
