'use client';

import { parseAsBoolean, useQueryState } from 'nuqs';

const parser = parseAsBoolean.withDefault(false).withOptions({ history: 'replace' });

/** Whether the period before is drawn beside the one that is looked at; it lives in the URL. */
export function useCompared(): readonly [boolean, (isCompared: boolean) => void] {
  const [isCompared, setCompared] = useQueryState('before', parser);
  return [isCompared, (next) => void setCompared(next)];
}
