'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useAttemptsChart } from '@/components/api/use-attempts-chart';
import { useServers, useSummary } from '@/components/api/use-reads';
import { FirstRun } from '@/components/first-run/first-run';
import { AttemptsSection } from '@/components/overview/attempts-section';
import { FindingsByKind } from '@/components/overview/findings-by-kind';
import { FleetSentenceView } from '@/components/overview/fleet-sentence-view';
import { GapSizesSection } from '@/components/overview/gap-sizes';
import { HeadlineNumbers } from '@/components/overview/headline-numbers';
import { LeadsSection } from '@/components/overview/leads-section';
import { NewestFindings } from '@/components/overview/newest-findings';
import { NewestWrong } from '@/components/overview/newest-wrong';
import css from '@/components/overview/overview.module.css';
import { ServersSection } from '@/components/overview/servers-section';
import { StormsSection } from '@/components/overview/storms-section';
import { ProjectSelect } from '@/components/projects/project-select';
import { useProject } from '@/components/projects/use-project';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import type { Summary } from '@/lib/wire/responses';

/** The first screen: is anyone losing events now, where, since when, and what to do. */
export function Overview() {
  const [range] = useTimeRange();
  const summary = useSummary(range);
  const [project] = useProject();
  const isEmptyInstall = project === null && summary.data?.records_total === 0;
  return (
    <>
      <TopBar title="Overview">
        {!isEmptyInstall && (
          <>
            <ProjectSelect />
            <RangePicker />
          </>
        )}
      </TopBar>
      <main id="content">
        <QueryFailure what="The summary" query={summary} />
        {isEmptyInstall ? <FirstRun /> : <FilledOverview summary={summary} />}
      </main>
    </>
  );
}

function FilledOverview({ summary }: { readonly summary: UseQueryResult<Summary> }) {
  const [range] = useTimeRange();
  const chart = useAttemptsChart(range, null);
  const servers = useServers(range);
  return (
    <>
      {summary.data === undefined ? (
        summary.isPending && <SentenceBones />
      ) : (
        <Held queries={[summary, chart.series]}>
          <FleetSentenceView summary={summary.data} />
          <HeadlineNumbers summary={summary.data} byMark={chart.series.data} />
        </Held>
      )}
      <div className={css['two']}>
        <AttemptsSection reads={chart} />
        <Held queries={[summary]}>
          {summary.data === undefined ? summary.isPending && <Bone height={180} /> : <GapSizesSection sizes={summary.data.gap_sizes} />}
          <StormsSection annotations={chart.annotations} counts={summary.data?.findings} />
        </Held>
      </div>
      <QueryFailure what="The list of servers" query={servers} />
      <div className={css['two']}>
        <Held queries={[servers]}>
          {(servers.data !== undefined || servers.isPending) && <ServersSection servers={servers.data?.items} />}
        </Held>
        <Held queries={[summary]}>
          <div className={css['stack']}>
            {summary.data === undefined ? summary.isPending && <Bone height={180} /> : <LeadsSection leads={summary.data.leads} />}
            {summary.data === undefined ? summary.isPending && <Bone height={180} /> : <FindingsByKind counts={summary.data.findings} />}
          </div>
        </Held>
      </div>
      <div className={css['two']}>
        <NewestWrong />
        <NewestFindings />
      </div>
    </>
  );
}

function SentenceBones() {
  return (
    <div className={css['bones']} role="status" aria-label="Reading the summary">
      <Bone width="min(620px, 80%)" height={24} />
      <Bone width="min(420px, 60%)" height={14} />
      <Bone height={72} />
    </div>
  );
}
