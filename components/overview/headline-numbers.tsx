'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { type Headline, headlines, trendInstants } from '@/components/overview/headline';
import css from '@/components/overview/headline-numbers.module.css';
import { Sparkline } from '@/components/overview/sparkline';
import { SightLink } from '@/components/sight/sight-link';
import { DataTable } from '@/components/ui/data-table';
import { markColour, markTextColour } from '@/components/verdict-mark/mark-style';
import type { Series, Summary } from '@/lib/wire/responses';

const FILTER: Readonly<Record<Headline['id'], string>> = {
  unsafe_resume: 'mark=unsafe_resume',
  resume_unavailable: 'unavailable=true',
  over_refusal: 'mark=over_refusal',
  unverifiable: 'mark=unverifiable',
};

/** The four headline numbers; each leads to the attempts it counts. */
export function HeadlineNumbers({ summary, byMark }: { readonly summary: Summary; readonly byMark: Series | undefined }) {
  const [isTable, setTable] = useTwin('numbers');
  const numbers = headlines(summary, byMark);
  return (
    <section className={css['section']} aria-label="Headline numbers">
      <div className={css['numbers']}>
        {numbers.map((one) => (
          <SightLink key={one.id} className={css['number']} href={`/attempts?${FILTER[one.id]}`}>
            <span className={css['name']}>{one.isCode ? <code>{one.name}</code> : one.name}</span>
            <span className={css['value']}>
              {summary.at_least && <span title="Telemetry of this range is known to be missing.">at least</span>}
              <b style={one.id === 'unsafe_resume' && one.value > 0 ? { color: markTextColour(one.mark) } : undefined}>
                {formatCount(one.value)}
              </b>
              {one.unit}
            </span>
            <span className={css['detail']}>{one.detail}</span>
            <span className={css['trend']}>
              <Sparkline values={one.trend} colour={markColour(one.mark)} label={one.trendLabel} />
              {one.before}
            </span>
          </SightLink>
        ))}
      </div>
      <div className={css['twin']}>
        <TwinSwitch isTable={isTable} onChange={setTable} />
      </div>
      {isTable && <TrendTable numbers={numbers} instants={trendInstants(byMark)} />}
    </section>
  );
}

/** The courses of the numbers as a table, newest first, without the times at which nothing happened. */
function TrendTable({ numbers, instants }: { readonly numbers: readonly Headline[]; readonly instants: readonly number[] }) {
  const rows = instants
    .map((at, index) => ({ at, counts: numbers.map(({ trend }) => trend[index] ?? 0) }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .reverse();
  return (
    <div className={css['table']}>
      <DataTable
        label="Headline numbers over the range"
        heads={['From', ...numbers.map(({ name }) => name)]}
        rows={rows.map(({ at, counts }) => ({ key: String(at), cells: [fullInstant(at), ...counts.map((count) => formatCount(count))] }))}
        empty="None of them occurred in this range."
      />
    </div>
  );
}
