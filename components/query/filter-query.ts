import type { Params } from '@/components/api/get-json';
import type { ParsedQuery } from '@/components/query/query-language';

/** Ends the name of a filter that leaves out. */
const LEFT_OUT = '_not';

/** Filters by name: one text, or alternatives; null does not restrict. */
type NamedFilters = Readonly<Record<string, string | readonly string[] | null>>;

/** Filters of the URL as a query: `reason_not` is what `reason` leaves out. */
export function queryOfNamed(named: NamedFilters): ParsedQuery {
  const lists = Object.entries(named).flatMap(([name, value]): [string, readonly string[]][] => {
    if (value === null || value.length === 0) return [];
    return [[name, typeof value === 'string' ? [value] : value]];
  });
  const isLeft = (name: string) => name.endsWith(LEFT_OUT);
  return {
    values: new Map(lists.filter(([name]) => !isLeft(name))),
    excluded: new Map(lists.filter(([name]) => isLeft(name)).map(([name, list]) => [name.slice(0, -LEFT_OUT.length), list])),
    counts: new Map(),
    text: null,
  };
}

/** The names that a query asks for or leaves out, as a filter. */
export function namesOf(values: readonly string[] | undefined): string[] | null {
  return values === undefined ? null : [...values];
}

/** The members of a closed set that a query asks for or leaves out, as a filter. */
export function membersOf<T extends string>(values: readonly string[] | undefined, members: readonly T[]): T[] | null {
  return values === undefined ? null : members.filter((member) => values.includes(member));
}

/** Filters as the API takes them, without the one named in `except`. */
export function paramsOfNamed(named: NamedFilters, except: string | null): Params {
  const entries = Object.entries(named).filter(([name]) => name !== except);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' || value === null ? value : value.join(',')]));
}
