'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useFacetCounts, useUnavailableCounts } from '@/components/api/use-attempts';
import { ANSWERS, type Answer, useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { Facet, type FacetCounts, toggled } from '@/components/table/facet';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { MARKS, type Mark } from '@/lib/resume/mark';
import { REASONS, type Reason } from '@/lib/resume/types';

const ANSWER_WORDS: Readonly<Record<Answer, string>> = { true: 'live cursor refused', false: 'any other' };

/** What the attempts of the range are, with counts; each facet counts under the filters of the others. */
export function Facets() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useAttemptFilters();
  const marks = useFacetCounts(range, filters, 'mark');
  const reasons = useFacetCounts(range, filters, 'reason');
  const servers = useFacetCounts(range, filters, 'server');
  const unavailable = useUnavailableCounts(range, filters);
  return (
    <>
      <Facet<Mark>
        name="Verdict"
        options={MARKS.filter((mark) => countIn(marks, mark) > 0 || (filters.mark ?? []).includes(mark))}
        chosen={filters.mark ?? []}
        counts={marks.data}
        onToggle={(mark) => setFilters({ mark: toggled(filters.mark, mark) })}
        wordOf={(mark) => MARK_STYLE[mark].word}
        markOf={(mark) => mark}
      />
      <Facet<Reason>
        name="Reason"
        options={REASONS.filter((reason) => countIn(reasons, reason) > 0 || (filters.reason ?? []).includes(reason))}
        chosen={filters.reason ?? []}
        counts={reasons.data}
        onToggle={(reason) => setFilters({ reason: toggled(filters.reason, reason) })}
      />
      <Facet<Answer>
        name="resume_unavailable"
        options={ANSWERS.filter((answer) => countIn(unavailable, answer) > 0 || filters.unavailable === answer)}
        chosen={filters.unavailable === null ? [] : [filters.unavailable]}
        counts={unavailable.data}
        onToggle={(answer) => setFilters({ unavailable: filters.unavailable === answer ? null : answer })}
        wordOf={(answer) => ANSWER_WORDS[answer]}
      />
      <Facet<string>
        name="Server"
        options={[...new Set([...(servers.data?.keys() ?? []), ...(filters.server ?? [])])].filter((name) => name !== 'other')}
        chosen={filters.server ?? []}
        counts={servers.data}
        onToggle={(server) => setFilters({ server: toggled(filters.server, server) })}
      />
    </>
  );
}

const countIn = (counts: UseQueryResult<FacetCounts>, key: string): number => counts.data?.get(key) ?? 0;
