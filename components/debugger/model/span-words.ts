import type { Axis } from '@/components/debugger/model/history';

/** A stretch of the clock in words: `0.4 s`, `31.1 s`, `4 min 12 s`; in an order of records, how many. */
export function durationText(span: number, axis: Axis): string {
  if (axis === 'order') return `${Math.round(span)} records`;
  if (span < 60_000) return `${(span / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(span / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((span % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
