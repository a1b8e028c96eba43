'use client';

import { useSeries, useSummary } from '@/components/api/use-reads';
import { FleetSentenceView } from '@/components/overview/fleet-sentence-view';
import { HeadlineNumbers } from '@/components/overview/headline-numbers';
import { TopBar } from '@/components/shell/top-bar';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';

/** The first screen: is anyone losing events now, where, since when, and what to do. */
export function Overview() {
  const [range] = useTimeRange();
  const summary = useSummary(range);
  const byMark = useSeries(range, 'mark');
  return (
    <>
      <TopBar title="Overview">
        <RangePicker />
      </TopBar>
      <main id="content">
        {summary.data !== undefined && (
          <>
            <FleetSentenceView summary={summary.data} />
            <HeadlineNumbers summary={summary.data} byMark={byMark.data} />
          </>
        )}
      </main>
    </>
  );
}
