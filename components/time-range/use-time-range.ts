'use client';

import { createParser, useQueryState } from 'nuqs';
import { DEFAULT_RANGE, parseRange, rangeText, type TimeRange } from '@/components/time-range/time-range';

const rangeParser = createParser<TimeRange>({
  parse: parseRange,
  serialize: rangeText,
  eq: (a, b) => rangeText(a) === rangeText(b),
})
  .withDefault(DEFAULT_RANGE)
  .withOptions({ history: 'push' });

/** The range that the page looks at; it lives in the URL, so that a copied link shows the same time. */
export function useTimeRange(): readonly [TimeRange, (range: TimeRange) => void] {
  const [range, setRange] = useQueryState('range', rangeParser);
  return [range, (next) => void setRange(next)];
}
