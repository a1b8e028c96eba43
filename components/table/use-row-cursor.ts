'use client';

import { useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useCallback, useMemo, useState } from 'react';
import { useWithSight } from '@/components/sight/use-with-sight';
import { useRowKeys } from '@/components/table/use-row-keys';

interface RowCursorOptions {
  /** Ids of the rows that were read, in their order. */
  readonly ids: readonly string[];
  readonly hrefOf: (id: string) => string;
  readonly onClose: () => void;
}

export interface RowCursor {
  /** The row that the keyboard is on, and the one shown beside the list. */
  readonly current: string | null;
  readonly peek: string | null;
  readonly selected: ReadonlySet<string>;
  readonly open: (id: string) => void;
  readonly close: () => void;
  readonly clearSelection: () => void;
}

/** Where one is in a list: the keys move, open, select and close; the row beside the list is in the URL. */
export function useRowCursor({ ids, hrefOf, onClose }: RowCursorOptions): RowCursor {
  const [peek, setPeek] = useQueryState('peek', parseAsString.withOptions({ history: 'replace' }));
  const [current, setCurrent] = useState<string | null>(peek);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const router = useRouter();
  const withSight = useWithSight();
  const open = useCallback(
    (id: string) => {
      setCurrent(id);
      void setPeek(id);
    },
    [setPeek],
  );
  const onMove = useCallback(
    (by: 1 | -1) => {
      const index = current === null ? -1 : ids.indexOf(current);
      const next = ids[index < 0 ? 0 : Math.min(ids.length - 1, Math.max(0, index + by))];
      if (next === undefined) return;
      setCurrent(next);
      if (peek !== null) void setPeek(next);
    },
    [ids, current, peek, setPeek],
  );
  const onOpen = useCallback(() => {
    if (current === null) return;
    // A write of the URL that is still under way would take the page back: it is waited for.
    if (peek === current) void setPeek(current).then(() => router.push(withSight(hrefOf(current))));
    else open(current);
  }, [current, peek, open, router, hrefOf, setPeek, withSight]);
  const close = useCallback(() => {
    onClose();
    void setPeek(null);
  }, [onClose, setPeek]);
  const onSelect = useCallback(() => {
    if (current === null) return;
    setSelected((now) => new Set(now.has(current) ? [...now].filter((id) => id !== current) : [...now, current]));
  }, [current]);
  useRowKeys({ onMove, onOpen, onClose: close, onSelect });
  const clearSelection = useCallback(() => setSelected(new Set()), []);
  return useMemo(() => ({ current, peek, selected, open, close, clearSelection }), [current, peek, selected, open, close, clearSelection]);
}
