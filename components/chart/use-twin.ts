'use client';

import { parseAsArrayOf, parseAsString, useQueryState } from 'nuqs';
import { useCallback } from 'react';

const parser = parseAsArrayOf(parseAsString).withDefault([]).withOptions({ history: 'replace' });

/** Whether the chart of this name is shown as its table; it lives in the URL, beside those of the other charts of the page. */
export function useTwin(name: string): readonly [boolean, (isTable: boolean) => void] {
  const [tables, setTables] = useQueryState('tables', parser);
  const set = useCallback(
    (isTable: boolean) => void setTables((now) => [...now.filter((one) => one !== name), ...(isTable ? [name] : [])]),
    [name, setTables],
  );
  return [tables.includes(name), set];
}
