import type { Zone } from '@/components/format/zone';
import { rangeText, spanOf, type TimeRange } from '@/components/time-range/time-range';

/** What a view depends on that its address may leave open. */
export interface ViewState {
  /** Null on a page that looks at no range. */
  readonly range: TimeRange | null;
  readonly zone: Zone;
  /** Columns that this browser remembers for the list, as the address carries them; null where it is left to the width. */
  readonly columns: string | null;
}

/** The address under which a view shows tomorrow, and in another browser, what it shows at `nowMs`: the same time, zone and columns. */
export function viewLink(href: string, { range, zone, columns }: ViewState, nowMs: number): string {
  const url = new URL(href);
  if (range !== null) url.searchParams.set('range', rangeText({ kind: 'absolute', ...spanOf(range, nowMs) }));
  url.searchParams.set('zone', zone);
  if (columns !== null && !url.searchParams.has('cols')) url.searchParams.set('cols', columns);
  return url.href.replaceAll('%3A', ':').replaceAll('%2C', ',');
}
