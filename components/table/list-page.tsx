'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ColumnDef } from '@tanstack/react-table';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { ends } from '@/components/api/use-reads';
import { countOf, formatCount } from '@/components/format/count';
import { ProjectSelect } from '@/components/projects/project-select';
import { useProject } from '@/components/projects/use-project';
import { QueryField } from '@/components/query/query-field';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { ColumnMenu } from '@/components/table/column-menu';
import type { ExportSource } from '@/components/table/export-list';
import { ExportMenu } from '@/components/table/export-menu';
import css from '@/components/table/list-page.module.css';
import { MoreMenu } from '@/components/table/more-menu';
import { RecordTable } from '@/components/table/record-table';
import tableCss from '@/components/table/record-table.module.css';
import type { View } from '@/components/table/saved-views';
import { useColumnChoice } from '@/components/table/use-column-choice';
import { useNewer } from '@/components/table/use-newer';
import { type RowCursor, useRowCursor } from '@/components/table/use-row-cursor';
import { ViewTabs } from '@/components/table/view-tabs';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { cx } from '@/components/ui/cx';

interface ListOf<T> {
  readonly items: readonly T[];
}

interface Asked {
  readonly language: QueryLanguage;
  readonly query: ParsedQuery;
  readonly onQuery: (query: ParsedQuery) => void;
  readonly placeholder: string;
}

interface ListPageProps<T> {
  /** `Attempts`; in lower case it is the first member of the list's query key, and the name of its kept views. */
  readonly title: string;
  readonly noun: string;
  readonly list: UseInfiniteQueryResult<InfiniteData<ListOf<T>>>;
  readonly columns: ColumnDef<T>[];
  readonly idOf: (row: T) => string;
  readonly hrefOf: (id: string) => string;
  /** How many rows match in all; null while that is not known. */
  readonly total: number | null;
  readonly views: readonly View[];
  /** What the list is asked for, as a query that is typed. */
  readonly asked: Asked;
  /** Where the whole list can be read, and how it is written to a file; the range is added. */
  readonly taken: ExportSource<T>;
  readonly facets: ReactNode;
  /** In place of the table, where no row matches. */
  readonly empty: ReactNode;
  readonly peek: (id: string, onClose: () => void) => ReactNode;
}

/** A page that is one long list: views, a query, facets, the rows, one of them beside the list; all of it in the URL. */
export function ListPage<T extends object>(props: ListPageProps<T>) {
  const { title, noun, list, columns, idOf, hrefOf, total, views, asked, taken, facets, empty, peek } = props;
  const key = title.toLowerCase();
  const [range] = useTimeRange();
  const [project] = useProject();
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const scroll = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const ids = useMemo(() => rows.map(idOf), [rows, idOf]);
  const choice = useColumnChoice(key);
  const newer = useNewer(key, scroll);
  const closeFacets = useCallback(() => setFacetsOpen(false), []);
  const cursor = useRowCursor({ ids, hrefOf, onClose: closeFacets });
  const source = () => ({ ...taken, params: { ...ends(range, Date.now()), project, ...taken.params } });
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const tools = (
    <>
      <ColumnMenu columns={columns} choice={choice} />
      <ExportMenu noun={noun} source={source} />
      <CopyLink />
    </>
  );

  return (
    <>
      <TopBar title={title} isDense>
        <ProjectSelect />
        <RangePicker />
        <span className={css['roomy']}>{tools}</span>
        <span className={css['tight']}>
          <MoreMenu>{tools}</MoreMenu>
        </span>
      </TopBar>
      <main id="content" className={css['page']}>
        <div className={css['top']}>
          <ViewTabs list={key} views={views} />
          <QueryField
            {...asked}
            count={total === null ? null : countOf(total, noun)}
            onFacets={() => setFacetsOpen((wasOpen) => !wasOpen)}
          />
          <QueryFailure what={`The list of ${key}`} query={list} />
        </div>
        <div className={cx(css['body'], cursor.peek !== null && css['withPeek'])}>
          <aside className={css['facets']} aria-label="Filters" data-open={areFacetsOpen}>
            {facets}
          </aside>
          <div
            ref={scroll}
            className={cx(tableCss['scroll'], list.isPlaceholderData && tableCss['held'])}
            aria-busy={list.isPlaceholderData}
          >
            {newer.count > 0 && (
              <div className={tableCss['newer']}>
                <Button look="primary" onClick={newer.show}>
                  {formatCount(newer.count)} new above
                </Button>
              </div>
            )}
            {list.isPending && <TableBones label={`Reading the ${key}`} />}
            {list.isSuccess && !list.isPlaceholderData && rows.length === 0 && empty}
            {rows.length > 0 && (
              <RecordTable
                label={title}
                rows={rows}
                columns={columns}
                idOf={idOf}
                shown={choice.shown}
                current={cursor.current}
                selected={cursor.selected}
                onOpen={cursor.open}
                onNearEnd={onNearEnd}
                scroll={scroll}
                total={total}
              />
            )}
          </div>
          {cursor.peek !== null && peek(cursor.peek, cursor.close)}
        </div>
        <div className={css['foot']}>
          <span>
            {countOf(rows.length, 'row')} read{hasNextPage ? ', more below' : ''}
          </span>
          {cursor.selected.size > 0 && <Selection rows={rows} idOf={idOf} cursor={cursor} />}
          <span className={css['space']} />
          <Keys />
        </div>
      </main>
    </>
  );
}

interface SelectionProps<T> {
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  readonly cursor: RowCursor;
}

/** What can be done with the rows that were selected. */
function Selection<T>({ rows, idOf, cursor: { selected, clearSelection } }: SelectionProps<T>) {
  const chosen = () => rows.filter((row) => selected.has(idOf(row)));
  return (
    <>
      <b>{formatCount(selected.size)} selected</b>
      <CopyButton label="Copy ids" text={() => chosen().map(idOf).join('\n')} />
      <CopyButton label="Copy as JSON" text={() => JSON.stringify(chosen(), null, 2)} />
      <Button onClick={clearSelection}>Clear</Button>
    </>
  );
}

function Keys() {
  return (
    <>
      <span className={css['keys']}>
        <kbd>J</kbd> <kbd>K</kbd> move
      </span>
      <span className={css['keys']}>
        <kbd>Enter</kbd> open
      </span>
      <span className={css['keys']}>
        <kbd>X</kbd> select
      </span>
      <span className={css['keys']}>
        <kbd>Esc</kbd> close
      </span>
    </>
  );
}

function TableBones({ label }: { readonly label: string }) {
  return (
    <div className={css['bones']} role="status" aria-label={label}>
      {Array.from({ length: 16 }, (_, row) => `bone-${row}`).map((key) => (
        <Bone key={key} height={14} />
      ))}
    </div>
  );
}
