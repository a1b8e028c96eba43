'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useSeries, useServers, useSummary } from '@/components/api/use-reads';
import { FirstRun } from '@/components/first-run/first-run';
import { AttemptsSection } from '@/components/overview/attempts-section';
import { FindingsByKind } from '@/components/overview/findings-by-kind';
import { FleetSentenceView } from '@/components/overview/fleet-sentence-view';
import { GapSizesSection } from '@/components/overview/gap-sizes';
import { HeadlineNumbers } from '@/components/overview/headline-numbers';
import { NewestFindings } from '@/components/overview/newest-findings';
import { NewestWrong } from '@/components/overview/newest-wrong';
import css from '@/components/overview/overview.module.css';
import { ServersSection } from '@/components/overview/servers-section';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import type { Series, Summary } from '@/lib/wire/responses';

/** The first screen: is anyone losing events now, where, since when, and what to do. */
export function Overview() {
  const [range] = useTimeRange();
  const summary = useSummary(range);
  const isEmptyInstall = summary.data?.records_total === 0;
  return (
    <>
      <TopBar title="Overview">{!isEmptyInstall && <RangePicker />}</TopBar>
      <main id="content">
        <QueryFailure what="The summary" query={summary} />
        {isEmptyInstall ? <FirstRun /> : <FilledOverview summary={summary} />}
      </main>
    </>
  );
}

function FilledOverview({ summary }: { readonly summary: UseQueryResult<Summary> }) {
  const [range] = useTimeRange();
  const byMark = useSeries(range, 'mark');
  const servers = useServers(range);
  return (
    <>
      {summary.data === undefined ? (
        summary.isPending && <SentenceBones />
      ) : (
        <>
          <FleetSentenceView summary={summary.data} />
          <HeadlineNumbers summary={summary.data} byMark={byMark.data} />
        </>
      )}
      <QueryFailure what="The chart of attempts" query={byMark} />
      <div className={css['two']}>
        <ChartOf series={byMark} />
        {summary.data === undefined ? <Bone height={180} /> : <GapSizesSection sizes={summary.data.gap_sizes} />}
      </div>
      <QueryFailure what="The list of servers" query={servers} />
      <div className={css['two']}>
        <ServersSection servers={servers.data?.items} />
        <NewestFindings />
      </div>
      <div className={css['two']}>
        <NewestWrong />
        {summary.data === undefined ? <Bone height={180} /> : <FindingsByKind counts={summary.data.findings} />}
      </div>
    </>
  );
}

function ChartOf({ series }: { readonly series: UseQueryResult<Series> }) {
  return series.data === undefined ? (
    <div>
      <Bone height={320} />
    </div>
  ) : (
    <AttemptsSection series={series.data} />
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
