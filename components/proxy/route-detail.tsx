'use client';

import { useServerSummary, useUnsafeReasons } from '@/components/api/use-proxy';
import { backtestWords } from '@/components/proxy/backtest-words';
import { breakerWords } from '@/components/proxy/breaker-words';
import { ModeSwitch } from '@/components/proxy/mode-switch';
import look from '@/components/proxy/proxy.module.css';
import { RouteSessions } from '@/components/proxy/route-sessions';
import { Bone } from '@/components/states/bone';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import type { ProxyRouteItem } from '@/lib/wire/proxy-responses';
import type { Series } from '@/lib/wire/responses';

/** One route in full: its mode, what enforcing would have changed, what it refused, and who is connected. */
export function RouteDetail({ route }: { readonly route: ProxyRouteItem }) {
  const [range] = useTimeRange();
  const summary = useServerSummary(range, route.name);
  const reasons = useUnsafeReasons(range, route.name);
  const words = backtestWords(route.name, summary.data?.totals ?? null, range);
  return (
    <>
      <section className={look['section']} aria-label={`Route ${route.name}`}>
        <SectionHead
          title={route.name}
          sub={route.upstream}
          acts={
            <TextLink href={`/attempts?server=${encodeURIComponent(route.name)}&mark=unsafe_resume`}>Unsafe resumes of this route</TextLink>
          }
        />
        <ModeSwitch route={route} backtest={words} />
      </section>
      <QueryFailure what="The backtest" query={summary} />
      <div className={look['columns']}>
        <section className={look['section']} aria-label="Backtest">
          <SectionHead title="What enforcing would have refused" sub="resumed by the server, refused by the rules" />
          <Held queries={[summary, reasons]}>
            <p className={look['words']}>{words}</p>
            <QueryFailure what="The reasons" query={reasons} />
            {reasons.isPending && <Bone height={60} />}
            {reasons.data !== undefined && (
              <DataTable
                label="What enforcing would have refused, by reason"
                heads={['Reason', 'Attempts']}
                rows={rowsOf(reasonsIn(reasons.data))}
                empty="No attempt in this range was resumed against the rules."
              />
            )}
          </Held>
        </section>
        <section className={look['section']} aria-label="Refusals">
          <SectionHead title="Refusals by reason" sub="since this process started" />
          <p className={look['words']}>{breakerWords(route.predicted_rate)}</p>
          <DataTable
            label="Refusals by reason"
            heads={['Reason', 'Refused', 'Would refuse']}
            rows={refusalRows(route)}
            empty="Nothing was refused, and nothing would have been."
          />
        </section>
      </div>
      <RouteSessions route={route.name} />
    </>
  );
}

function reasonsIn(series: Series): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { counts } of series.points) {
    for (const [reason, count] of Object.entries(counts)) totals[reason] = (totals[reason] ?? 0) + count;
  }
  return totals;
}

const rowsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .sort(([, left], [, right]) => right - left)
    .map(([reason, count]) => ({ key: reason, cells: [reason, count.toLocaleString('en-GB')] }));

function refusalRows({ refused, would_refuse }: ProxyRouteItem) {
  return [...new Set([...Object.keys(refused), ...Object.keys(would_refuse)])].sort().map((reason) => ({
    key: reason,
    cells: [reason, (refused[reason] ?? 0).toLocaleString('en-GB'), (would_refuse[reason] ?? 0).toLocaleString('en-GB')],
  }));
}
