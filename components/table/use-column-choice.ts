'use client';

import { parseAsArrayOf, parseAsString, useQueryState } from 'nuqs';
import { useCallback } from 'react';
import { storedText, useStored } from '@/components/ui/use-stored';

export interface ColumnChoice {
  /** Ids of the columns that are shown; null leaves it to the screen's width. */
  readonly shown: readonly string[] | null;
  readonly setShown: (shown: readonly string[] | null) => void;
}

const keyOf = (list: string): string => `tidemark-columns-${list}`;
const readList = (text: string): string[] | null => (text === '' ? null : text.split(','));

/** Which columns a list shows: as the URL says, so that a link shows the same, else as this browser remembers. */
export function useColumnChoice(list: string): ColumnChoice {
  const [linked, setLinked] = useQueryState('cols', parseAsArrayOf(parseAsString).withOptions({ history: 'replace' }));
  const [kept, setKept] = useStored(keyOf(list), readList);
  const setShown = useCallback(
    (shown: readonly string[] | null) => {
      setKept(shown === null ? null : shown.join(','));
      void setLinked(shown === null ? null : [...shown]);
    },
    [setKept, setLinked],
  );
  return { shown: linked ?? kept, setShown };
}

/** The columns of a list that this browser remembers, as the URL carries them; null where it remembers none. */
export function keptColumns(list: string): string | null {
  const text = storedText(keyOf(list));
  return text === '' ? null : text;
}
