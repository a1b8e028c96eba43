'use client';

import { useEffect, useRef } from 'react';
import { timeOfDay } from '@/components/format/instant';
import type { Entry } from '@/components/session/entries';
import css from '@/components/session/record-list.module.css';
import { cx } from '@/components/ui/cx';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Mark } from '@/lib/resume/mark';

interface RecordListProps {
  readonly entries: readonly Entry[];
  readonly current: number;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly onSelect: (step: number) => void;
}

/** What happened, in order; the selected record and, dimmed, what came after it. */
export function RecordList({ entries, current, marks, onSelect }: RecordListProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const entry = list.current?.children[current];
    // Only the list scrolls: on a phone the list is part of the page, which must stay where it is.
    const box = list.current?.parentElement;
    if (!(entry instanceof HTMLElement) || box === null || box === undefined || box.scrollHeight <= box.clientHeight) return;
    const { offsetTop, offsetHeight } = entry;
    if (offsetTop < box.scrollTop || offsetTop + offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = offsetTop - box.clientHeight / 3;
  }, [current]);
  return (
    <ol ref={list} aria-label="Records">
      {entries.map((entry, index) => (
        <li key={entry.first}>
          <EntryButton
            entry={entry}
            isCurrent={index === current}
            isLater={index > current}
            mark={marks.get(entry.attempt ?? '')}
            onSelect={onSelect}
          />
        </li>
      ))}
    </ol>
  );
}

interface EntryButtonProps {
  readonly entry: Entry;
  readonly isCurrent: boolean;
  readonly isLater: boolean;
  readonly mark: Mark | undefined;
  readonly onSelect: (step: number) => void;
}

function EntryButton({ entry, isCurrent, isLater, mark, onSelect }: EntryButtonProps) {
  const { words, first, last, at } = entry;
  return (
    <button
      type="button"
      className={cx(css['entry'], isLater && css['later'])}
      aria-current={isCurrent}
      data-type={words.type}
      onClick={() => onSelect(last)}
    >
      <span className={css['number']}>{first + 1}</span>
      <span style={{ minWidth: 0 }}>
        <span className={css['line']}>
          <code>{words.type}</code>
          <span>{words.subject}</span>
          {mark !== undefined && <VerdictMark mark={mark} isAlone />}
          {at !== null && <time dateTime={at}>{timeOfDay(Date.parse(at))}</time>}
        </span>
        <span className={css['detail']} style={{ display: 'block' }} title={words.detail}>
          {words.detail}
        </span>
      </span>
    </button>
  );
}
