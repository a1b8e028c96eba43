import type { AttemptFilters } from '@/components/attempts/use-attempt-filters';

/** The filters as one reads and types them: `mark:unsafe_resume server:payments-mcp`. */
export function filterWords(filters: AttemptFilters): string {
  return Object.entries(filters)
    .flatMap(([name, value]) => {
      if (value === null || value.length === 0) return [];
      const text = Array.isArray(value) ? value.join(',') : String(value);
      return [name === 'q' ? `“${text}”` : `${name}:${text}`];
    })
    .join(' ');
}

/** A list with one member put in or taken out; null when nothing is left, so that the URL is clean. */
export function toggled<T extends string>(list: readonly T[] | null, member: T): T[] | null {
  const all = list ?? [];
  const next = all.includes(member) ? all.filter((one) => one !== member) : [...all, member];
  return next.length === 0 ? null : next;
}
