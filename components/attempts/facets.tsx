'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useFacetCounts } from '@/components/api/use-attempts';
import css from '@/components/attempts/facets.module.css';
import { toggled } from '@/components/attempts/filter-words';
import { useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { formatCount } from '@/components/format/count';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS, type Mark } from '@/lib/resume/mark';
import { REASONS, type Reason } from '@/lib/resume/types';

type Counts = ReadonlyMap<string, number>;

/** What the attempts of the range are, with counts; each facet counts under the filters of the others. */
export function Facets() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useAttemptFilters();
  const marks = useFacetCounts(range, filters, 'mark');
  const reasons = useFacetCounts(range, filters, 'reason');
  const servers = useFacetCounts(range, filters, 'server');
  return (
    <>
      <Facet<Mark>
        name="Verdict"
        options={MARKS.filter((mark) => countIn(marks, mark) > 0 || (filters.mark ?? []).includes(mark))}
        chosen={filters.mark ?? []}
        counts={marks.data}
        onToggle={(mark) => void setFilters({ mark: toggled(filters.mark, mark) })}
        wordOf={(mark) => MARK_STYLE[mark].word}
        markOf={(mark) => mark}
      />
      <Facet<Reason>
        name="Reason"
        options={REASONS.filter((reason) => countIn(reasons, reason) > 0 || (filters.reason ?? []).includes(reason))}
        chosen={filters.reason ?? []}
        counts={reasons.data}
        onToggle={(reason) => void setFilters({ reason: toggled(filters.reason, reason) })}
      />
      <Facet<string>
        name="Server"
        options={[...new Set([...(servers.data?.keys() ?? []), ...(filters.server ?? [])])].filter((name) => name !== 'other')}
        chosen={filters.server ?? []}
        counts={servers.data}
        onToggle={(server) => void setFilters({ server: toggled(filters.server, server) })}
      />
    </>
  );
}

const countIn = (counts: UseQueryResult<Counts>, key: string): number => counts.data?.get(key) ?? 0;

interface FacetProps<T extends string> {
  readonly name: string;
  readonly options: readonly T[];
  readonly chosen: readonly T[];
  readonly counts: Counts | undefined;
  readonly onToggle: (option: T) => void;
  readonly wordOf?: (option: T) => string;
  readonly markOf?: (option: T) => Mark;
}

function Facet<T extends string>({ name, options, chosen, counts, onToggle, wordOf, markOf }: FacetProps<T>) {
  if (options.length === 0) return null;
  return (
    <fieldset className={css['facet']} aria-label={name}>
      <h2>{name}</h2>
      {options.map((option) => {
        const mark = markOf?.(option);
        return (
          <label key={option} className={css['option']}>
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => onToggle(option)} />
            {mark !== undefined && <VerdictMark mark={mark} />}
            <span className={css['name']} title={option}>
              {wordOf?.(option) ?? option}
            </span>
            <span className={css['count']}>{formatCount(counts?.get(option) ?? 0)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
