'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { formatCount } from '@/components/format/count';
import css from '@/components/overview/gap-sizes.module.css';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import { markColour, markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Summary } from '@/lib/wire/responses';

type GapSizes = Summary['gap_sizes'];

/** How many events were missing per attempt that had a gap, lost in silence or refused. */
export function GapSizesSection({ sizes }: { readonly sizes: GapSizes }) {
  const [isTable, setTable] = useTwin('gaps');
  const highest = Math.max(1, ...sizes.map((size) => size.unsafe + size.refused));
  const hasAny = sizes.some((size) => size.unsafe + size.refused > 0);
  return (
    <section aria-label="Gap size">
      <SectionHead title="Gap size" sub="events missing per attempt" acts={<TwinSwitch isTable={isTable} onChange={setTable} />} />
      {!hasAny && <p className={css['none']}>No attempt of this range had a countable gap.</p>}
      {hasAny && isTable && (
        <DataTable
          label="Gap size"
          heads={['Events missing', 'unsafe', 'refused']}
          rows={sizes.map((size) => ({
            key: sizeWords(size),
            cells: [sizeWords(size), formatCount(size.unsafe), formatCount(size.refused)],
          }))}
          empty=""
        />
      )}
      {hasAny && !isTable && (
        <div className={css['rows']}>
          {upToLargest(sizes).map((size) => (
            <SizeRow key={size.from} size={size} highest={highest} />
          ))}
          <div className={css['row']}>
            <span />
            <span className={css['key']}>
              <VerdictMark mark="unsafe_resume" /> unsafe &nbsp; <VerdictMark mark="refused" /> refused
            </span>
          </div>
        </div>
      )}
    </section>
  );
}

function SizeRow({ size, highest }: { readonly size: GapSizes[number]; readonly highest: number }) {
  const share = (count: number) => `${(count / highest) * 100}%`;
  return (
    <div className={css['row']}>
      <span>{sizeWords(size)}</span>
      <span className={css['track']}>
        {size.unsafe > 0 && <i style={{ width: share(size.unsafe), background: markColour('unsafe_resume') }} />}
        {size.refused > 0 && <i style={{ width: share(size.refused), background: markColour('refused'), opacity: 0.8 }} />}
      </span>
      <span className={css['count']}>
        {size.unsafe > 0 && <b style={{ color: markTextColour('unsafe_resume') }}>{formatCount(size.unsafe)}</b>}
        {size.unsafe > 0 && size.refused > 0 && ' + '}
        {(size.refused > 0 || size.unsafe === 0) && formatCount(size.refused)}
      </span>
    </div>
  );
}

/** The buckets up to the largest gap that occurred: what lies beyond says nothing. */
function upToLargest(sizes: GapSizes): GapSizes {
  const last = sizes.findLastIndex((size) => size.unsafe + size.refused > 0);
  return sizes.slice(0, Math.max(last + 1, 5));
}

function sizeWords({ from, to }: GapSizes[number]): string {
  if (to === null) return `${formatCount(from)} and more`;
  return from === to ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`;
}
