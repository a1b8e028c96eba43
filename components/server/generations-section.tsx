'use client';

import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { useWidth } from '@/components/chart/use-width';
import { countOf, formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { shortText } from '@/components/format/short-text';
import { useNow } from '@/components/format/use-now';
import css from '@/components/server/server-page.module.css';
import { spanOf } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import type { ServerDetail } from '@/lib/wire/responses';

const ROW_PX = 22;
const LABEL_PX = 120;
/** Rows of the picture; the table has all of them. */
const ROWS_MAX = 14;

/** When each generation was presented or live, and when processes started. */
export function GenerationsSection({ detail }: { readonly detail: ServerDetail }) {
  const [isTable, setTable] = useTwin('generations');
  const { generations, boots } = detail;
  const more = generations.length - ROWS_MAX;
  return (
    <section aria-label="Generations">
      <SectionHead
        title="Generations"
        sub={`${countOf(generations.length, 'label')}, ${countOf(boots.length, 'boot')}${more > 0 ? `, the newest ${ROWS_MAX} drawn` : ''}`}
        acts={<TwinSwitch isTable={isTable} onChange={setTable} />}
      />
      {generations.length === 0 && <p className={css['none']}>No attempt told its generation.</p>}
      {isTable && boots.length > 0 && <BootTable detail={detail} />}
      {generations.length > 0 && isTable && (
        <DataTable
          label="Generations"
          heads={['Generation', 'first seen', 'last seen', 'attempts']}
          rows={generations.map((one) => ({
            key: one.generation,
            cells: [one.generation, fullInstant(Date.parse(one.first_at)), fullInstant(Date.parse(one.last_at)), formatCount(one.attempts)],
          }))}
          empty=""
        />
      )}
      {generations.length + boots.length > 0 && !isTable && <Timeline detail={detail} />}
    </section>
  );
}

function BootTable({ detail }: { readonly detail: ServerDetail }) {
  return (
    <DataTable
      label="Boots"
      heads={['Boot', 'node']}
      rows={detail.boots.map(({ at, node }) => ({ key: `${at} ${node}`, cells: [fullInstant(Date.parse(at)), node ?? 'not told'] }))}
      empty=""
    />
  );
}

function Timeline({ detail: { generations, boots } }: { readonly detail: ServerDetail }) {
  const [ref, width] = useWidth();
  const [range] = useTimeRange();
  const { fromMs, toMs } = spanOf(range, useNow());
  const rows = generations.slice(-ROWS_MAX);
  const bootsTop = rows.length * ROW_PX;
  const height = bootsTop + (boots.length > 0 ? ROW_PX : 0);
  const x = (atMs: number) =>
    LABEL_PX + Math.min(1, Math.max(0, (atMs - fromMs) / Math.max(1, toMs - fromMs))) * Math.max(1, width - LABEL_PX - 8);
  const ticks = timeTicks(fromMs, toMs, Math.max(2, Math.floor(width / 120)));
  const finding = `${countOf(generations.length, 'generation')} over time, ${countOf(boots.length, 'boot')}`;
  return (
    <div ref={ref} style={{ minHeight: height + 34, marginTop: 8 }}>
      {width > 0 && (
        <svg width={width} height={height + 34} role="img" aria-label={finding}>
          <title>{finding}</title>
          {boots.map((boot) => (
            <path
              key={`${boot.at} ${boot.node}`}
              d={`M${x(Date.parse(boot.at))} 0V${height}`}
              stroke="var(--line-3)"
              strokeDasharray="2 3"
            />
          ))}
          {rows.map((one, index) => {
            const [from, to] = [x(Date.parse(one.first_at)), x(Date.parse(one.last_at))];
            return (
              <g key={one.generation}>
                <text className={css['label']} x={0} y={index * ROW_PX + 15}>
                  {shortText(one.generation, 16)}
                </text>
                <rect
                  x={from}
                  y={index * ROW_PX + 6}
                  width={Math.max(3, to - from)}
                  height={10}
                  fill="var(--accent)"
                  opacity={0.7}
                  rx={1}
                />
              </g>
            );
          })}
          {boots.length > 0 && (
            <text className={css['label']} x={0} y={bootsTop + 15}>
              boots
            </text>
          )}
          {boots.map((boot) => (
            <path key={`${boot.at} ${boot.node}`} d={`M${x(Date.parse(boot.at))} ${bootsTop + 6}l4 9h-8z`} fill="var(--text-2)" />
          ))}
          <path d={`M${LABEL_PX} ${height + 4}H${width}`} stroke="var(--p-axis)" />
          {ticks.map((tick) => (
            <text key={tick} className={css['tick']} x={x(tick)} y={height + 20} textAnchor="middle">
              {tickWords(tick, ticks)}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
