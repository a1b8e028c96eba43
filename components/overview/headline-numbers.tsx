'use client';

import Link from 'next/link';
import { formatCount } from '@/components/format/count';
import { type Headline, headlines } from '@/components/overview/headline';
import css from '@/components/overview/headline-numbers.module.css';
import { Sparkline } from '@/components/overview/sparkline';
import { rangeText } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { markColour, markTextColour } from '@/components/verdict-mark/mark-style';
import type { Series, Summary } from '@/lib/wire/responses';

const FILTER: Readonly<Record<Headline['id'], string>> = {
  unsafe_resume: 'mark=unsafe_resume',
  resume_unavailable: 'mark=refused,over_refusal',
  over_refusal: 'mark=over_refusal',
  unverifiable: 'mark=unverifiable',
};

/** The four headline numbers; each leads to the attempts it counts. */
export function HeadlineNumbers({ summary, byMark }: { readonly summary: Summary; readonly byMark: Series | undefined }) {
  const [range] = useTimeRange();
  return (
    <section className={css['numbers']} aria-label="Headline numbers">
      {headlines(summary, byMark).map((one) => (
        <Link key={one.id} className={css['number']} href={`/attempts?range=${rangeText(range)}&${FILTER[one.id]}`}>
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
        </Link>
      ))}
    </section>
  );
}
