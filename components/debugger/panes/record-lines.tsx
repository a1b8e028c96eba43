'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import type { DebuggerStore } from '@/components/debugger/debugger-store';
import { useDebuggerState } from '@/components/debugger/debugger-store';
import { FILTER_HINT, type FilterLine, lineAt } from '@/components/debugger/model/record-filter';
import css from '@/components/debugger/panes/record-lines.module.css';
import { useSteadyIndex } from '@/components/debugger/use-steady-index';
import { formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';

const ROW_PX = 48;
const REST_MS = 120;

interface RecordLinesProps {
  readonly lines: readonly FilterLine[];
  readonly total: number;
  readonly store: DebuggerStore;
  readonly onSelect: (index: number) => void;
}

/** What happened, in order, as far as the filter lets it through; only the rows in sight are in the page. */
export function RecordLines({ lines, total, store, onSelect }: RecordLinesProps) {
  const index = useSteadyIndex(store);
  const filter = useDebuggerState(store, (state) => state.filter);
  const scroll = useRef<HTMLDivElement>(null);
  const current = lineAt(lines, index);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    useFlushSync: false,
    initialRect: { width: 0, height: 900 },
  });
  useEffect(() => {
    if (current < 0) return;
    // Scrolling lays the list out anew: while the playhead keeps moving, that waits.
    const timer = setTimeout(() => virtual.scrollToIndex(current, { align: 'auto' }), REST_MS);
    return () => clearTimeout(timer);
  }, [current, virtual]);
  return (
    <>
      <div className={css['head']}>
        <h2>What happened</h2>
        <span>
          record {formatCount(index + 1)} of {formatCount(total)}
        </span>
      </div>
      <div className={css['filter']}>
        <Icon name="filter" size={13} />
        <input
          id="record-filter"
          type="search"
          aria-label="Filter records"
          title={FILTER_HINT}
          placeholder="type:resume gap>0"
          value={filter}
          onChange={(event) => store.set({ filter: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      </div>
      <section ref={scroll} className={css['scroll']} aria-label="What happened" {...REACHABLE}>
        {lines.length === 0 && (
          <p className={css['none']}>
            No record matches “{filter}”. The filter knows {FILTER_HINT}.
          </p>
        )}
        <ol style={{ height: virtual.getTotalSize() }} aria-label="Records">
          {virtual.getVirtualItems().map((row) => {
            const line = lines[row.index];
            return line === undefined ? null : (
              <li
                key={row.key}
                style={{ transform: `translateY(${row.start}px)` }}
                aria-setsize={lines.length}
                aria-posinset={row.index + 1}
              >
                <Line line={line} isCurrent={row.index === current} isLater={line.entry.first > index} onSelect={onSelect} />
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}

/** A region that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const REACHABLE = { tabIndex: 0 };

interface LineProps {
  readonly line: FilterLine;
  readonly isCurrent: boolean;
  readonly isLater: boolean;
  readonly onSelect: (index: number) => void;
}

const Line = memo(function Line({ line, isCurrent, isLater, onSelect }: LineProps) {
  const { entry, mark, findings } = line;
  const isFault = mark === 'unsafe_resume' || mark === 'bad_replay';
  return (
    <button
      type="button"
      className={cx(css['line'], isLater && css['later'], isFault && css['fault'])}
      aria-current={isCurrent}
      data-type={entry.words.type}
      onClick={() => onSelect(entry.last)}
    >
      <span className={css['number']}>{entry.first + 1}</span>
      <span className={css['body']}>
        <span className={css['first']}>
          <code>{entry.words.type}</code>
          <span>{entry.words.subject}</span>
          {mark !== null && <VerdictMark mark={mark} isAlone />}
          {findings.length > 0 && <abbr title={findings.map(({ code }) => code).join(', ')}>{findings.length}</abbr>}
          {entry.at !== null && <time dateTime={entry.at}>{timeOfDay(Date.parse(entry.at))}</time>}
        </span>
        <span className={css['detail']} title={entry.words.detail}>
          {entry.words.detail === '' ? '\u00a0' : entry.words.detail}
        </span>
      </span>
    </button>
  );
});
