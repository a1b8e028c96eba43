'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { type RefObject, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useAttemptList, useFacetCounts } from '@/components/api/use-attempts';
import css from '@/components/attempts/attempts-page.module.css';
import { AttemptsTable } from '@/components/attempts/attempts-table';
import tableCss from '@/components/attempts/attempts-table.module.css';
import { Facets } from '@/components/attempts/facets';
import { NoAttempts } from '@/components/attempts/no-attempts';
import { Peek } from '@/components/attempts/peek';
import { QueryBar } from '@/components/attempts/query-bar';
import { useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { useRowKeys } from '@/components/attempts/use-row-keys';
import { countOf, formatCount } from '@/components/format/count';
import { useLive } from '@/components/live/live-provider';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { cx } from '@/components/ui/cx';

/** At most this far from the top, the list counts as showing its beginning. Pixels. */
const AT_TOP_PX = 40;

/** Every resume attempt: what it was, under filters that live in the URL, one of them beside the list. */
export function AttemptsPage() {
  const [range] = useTimeRange();
  const [filters] = useAttemptFilters();
  const [peek, setPeek] = useQueryState('peek', parseAsString.withOptions({ history: 'replace' }));
  const [current, setCurrent] = useState<string | null>(peek);
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const router = useRouter();
  const scroll = useRef<HTMLDivElement>(null);
  const list = useAttemptList(range, filters);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const attempts = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const newer = useNewer(scroll);
  const marks = useFacetCounts(range, filters, 'mark');
  const total = useMemo(() => totalOf(marks.data, filters.mark), [marks.data, filters.mark]);

  const open = useCallback(
    (id: string) => {
      setCurrent(id);
      void setPeek(id);
    },
    [setPeek],
  );
  const onMove = useCallback(
    (by: 1 | -1) => {
      const index = attempts.findIndex((attempt) => attempt.id === current);
      const next = attempts[index < 0 ? 0 : Math.min(attempts.length - 1, Math.max(0, index + by))];
      if (next === undefined) return;
      setCurrent(next.id);
      if (peek !== null) void setPeek(next.id);
    },
    [attempts, current, peek, setPeek],
  );
  const onOpen = useCallback(() => {
    if (current === null) return;
    if (peek === current) router.push(`/attempts/${current}`);
    else open(current);
  }, [current, peek, open, router]);
  const onClose = useCallback(() => {
    setFacetsOpen(false);
    void setPeek(null);
  }, [setPeek]);
  useRowKeys({ onMove, onOpen, onClose });
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <>
      <TopBar title="Attempts" isDense>
        <RangePicker />
        <CopyButton icon="link" isShrinking label="Copy link" text={() => location.href} />
      </TopBar>
      <main id="content" className={css['page']}>
        <div>
          <QueryBar total={total} onFacets={() => setFacetsOpen((wasOpen) => !wasOpen)} />
          <QueryFailure what="The list of attempts" query={list} />
        </div>
        <div className={cx(css['body'], peek !== null && css['withPeek'])}>
          <aside className={css['facets']} aria-label="Filters" data-open={areFacetsOpen}>
            <Facets />
          </aside>
          <div ref={scroll} className={tableCss['scroll']}>
            {newer.count > 0 && (
              <div className={tableCss['newer']}>
                <Button look="primary" onClick={newer.show}>
                  {formatCount(newer.count)} new above
                </Button>
              </div>
            )}
            {list.isPending && <TableBones />}
            {list.isSuccess && attempts.length === 0 && <NoAttempts />}
            {attempts.length > 0 && (
              <AttemptsTable attempts={attempts} current={current} onOpen={open} onNearEnd={onNearEnd} scroll={scroll} total={total} />
            )}
          </div>
          {peek !== null && <Peek id={peek} onClose={onClose} />}
        </div>
        <div className={css['foot']}>
          <span>
            {countOf(attempts.length, 'row')} read{hasNextPage ? ', more below' : ''}
          </span>
          <span className={css['space']} />
          <span className={css['keys']}>
            <kbd>J</kbd> <kbd>K</kbd> move
          </span>
          <span className={css['keys']}>
            <kbd>Enter</kbd> open
          </span>
          <span className={css['keys']}>
            <kbd>Esc</kbd> close
          </span>
        </div>
      </main>
    </>
  );
}

function totalOf(marks: ReadonlyMap<string, number> | undefined, chosen: readonly string[] | null): number | null {
  if (marks === undefined) return null;
  let total = 0;
  for (const [mark, count] of marks) if (chosen === null || chosen.includes(mark)) total += count;
  return total;
}

/**
 * Attempts that came since the list was read. At its beginning they are taken in at once; further down rows must
 * not move under the reader, so they wait above until they are asked for.
 */
function useNewer(scroll: RefObject<HTMLDivElement | null>): { readonly count: number; readonly show: () => void } {
  const client = useQueryClient();
  const { attemptsHeard, refreshes } = useLive();
  const [taken, setTaken] = useState(0);
  const take = useCallback(() => {
    setTaken(attemptsHeard);
    // Only the first page: those after it would be read again one by one.
    client.setQueriesData<{ pages: unknown[]; pageParams: unknown[] }>({ queryKey: ['attempts'] }, (data) =>
      data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    void client.invalidateQueries({ queryKey: ['attempts'] });
  }, [client, attemptsHeard]);
  const onRefresh = useEffectEvent(() => {
    if ((scroll.current?.scrollTop ?? 0) <= AT_TOP_PX) take();
  });
  useEffect(() => {
    if (refreshes > 0) onRefresh();
  }, [refreshes]);
  const show = useCallback(() => {
    scroll.current?.scrollTo({ top: 0 });
    take();
  }, [scroll, take]);
  return { count: Math.max(0, attemptsHeard - taken), show };
}

function TableBones() {
  return (
    <div className={css['bones']} role="status" aria-label="Reading the attempts">
      {Array.from({ length: 16 }, (_, row) => `bone-${row}`).map((key) => (
        <Bone key={key} height={14} />
      ))}
    </div>
  );
}
