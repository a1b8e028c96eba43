import type { AttemptFilters } from '@/components/attempts/use-attempt-filters';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS } from '@/lib/resume/types';

/** What can be asked of attempts. Names are those of the API. */
export const ATTEMPT_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'mark', kind: 'members', members: MARKS },
    { name: 'assessment', kind: 'members', members: ASSESSMENTS },
    { name: 'reason', kind: 'members', members: REASONS },
    { name: 'server', kind: 'names' },
    { name: 'session', kind: 'text' },
    { name: 'client', kind: 'text' },
    { name: 'protocol_version', kind: 'text' },
    { name: 'gap', kind: 'count' },
  ],
  takesText: true,
};

/** The filters of the URL as a query. */
export function queryOfFilters(filters: AttemptFilters): ParsedQuery {
  const { gap, q, ...named } = filters;
  const values = Object.entries(named).flatMap(([name, value]): [string, readonly string[]][] => {
    if (value === null || value.length === 0) return [];
    return [[name, typeof value === 'string' ? [value] : value]];
  });
  return { values: new Map(values), counts: new Map(gap === null ? [] : [['gap', gap]]), text: q };
}

/** A query as filters of the URL; what it does not name is taken out. */
export function filtersOfQuery({ values, counts, text }: ParsedQuery): AttemptFilters {
  const list = <T extends string>(name: string, members: readonly T[]) => membersOf(values.get(name), members);
  const one = (name: string) => values.get(name)?.[0] ?? null;
  return {
    mark: list('mark', MARKS),
    assessment: list('assessment', ASSESSMENTS),
    reason: list('reason', REASONS),
    server: values.get('server') === undefined ? null : [...(values.get('server') ?? [])],
    session: one('session'),
    client: one('client'),
    protocol_version: one('protocol_version'),
    gap: counts.get('gap') ?? null,
    q: text,
  };
}

function membersOf<T extends string>(values: readonly string[] | undefined, members: readonly T[]): T[] | null {
  return values === undefined ? null : members.filter((member) => values.includes(member));
}
