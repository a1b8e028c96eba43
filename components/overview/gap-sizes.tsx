'use client';

import { Fragment } from 'react';
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

/** What became of attempts with a gap, in the order in which they are stacked. */
const KINDS = [
  { mark: 'unsafe_resume', of: 'unsafe', word: 'unsafe' },
  { mark: 'bad_replay', of: 'bad_replay', word: 'bad replay' },
  { mark: 'refused', of: 'refused', word: 'refused' },
] as const;

const attemptsOf = (size: GapSizes[number]): number => size.unsafe + size.bad_replay + size.refused;

/** How many events were missing per attempt that had a gap, resumed in silence, replayed badly or refused. */
export function GapSizesSection({ sizes }: { readonly sizes: GapSizes }) {
  const [isTable, setTable] = useTwin('gaps');
  const highest = Math.max(1, ...sizes.map(attemptsOf));
  const hasAny = sizes.some((size) => attemptsOf(size) > 0);
  return (
    <section aria-label="Gap size">
      <SectionHead title="Gap size" sub="events missing per attempt" acts={<TwinSwitch isTable={isTable} onChange={setTable} />} />
      {!hasAny && <p className={css['none']}>No attempt of this range had a countable gap.</p>}
      {hasAny && isTable && (
        <DataTable
          label="Gap size"
          heads={['Events missing', ...KINDS.map(({ word }) => word)]}
          rows={sizes.map((size) => ({
            key: sizeWords(size),
            cells: [sizeWords(size), ...KINDS.map(({ of }) => formatCount(size[of]))],
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
              {KINDS.map(({ mark, word }) => (
                <span key={mark} className={css['kind']}>
                  <VerdictMark mark={mark} /> {word}
                </span>
              ))}
            </span>
          </div>
        </div>
      )}
    </section>
  );
}

function SizeRow({ size, highest }: { readonly size: GapSizes[number]; readonly highest: number }) {
  const present = KINDS.filter(({ of }) => size[of] > 0);
  const share = (count: number) => `${(count / highest) * 100}%`;
  return (
    <div className={css['row']}>
      <span>{sizeWords(size)}</span>
      <span className={css['track']}>
        {present.map(({ mark, of }) => (
          <i key={mark} style={{ width: share(size[of]), background: markColour(mark), opacity: mark === 'refused' ? 0.8 : 1 }} />
        ))}
      </span>
      <span className={css['count']}>
        {present.map(({ mark, of, word }, place) => (
          <Fragment key={mark}>
            {place > 0 && ' + '}
            {mark === 'refused' ? (
              formatCount(size[of])
            ) : (
              <b title={word} style={{ color: markTextColour(mark) }}>
                {formatCount(size[of])}
              </b>
            )}
          </Fragment>
        ))}
        {present.length === 0 && '0'}
      </span>
    </div>
  );
}

/** The buckets up to the largest gap that occurred: what lies beyond says nothing. */
function upToLargest(sizes: GapSizes): GapSizes {
  const last = sizes.findLastIndex((size) => attemptsOf(size) > 0);
  return sizes.slice(0, Math.max(last + 1, 5));
}

function sizeWords({ from, to }: GapSizes[number]): string {
  if (to === null) return `${formatCount(from)} and more`;
  return from === to ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`;
}
