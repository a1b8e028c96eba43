'use client';

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';
import { BLAMES, type Blame, FINDING_GROUPS, type FindingCode, SEVERITIES, type Severity } from '@/lib/audit/finding';

export const FINDING_CODES: readonly FindingCode[] = Object.values(FINDING_GROUPS).flat();

/** Which findings are shown; null does not restrict. */
export interface FindingFilters {
  readonly code: FindingCode[] | null;
  readonly severity: Severity[] | null;
  readonly blame: Blame[] | null;
  readonly server: string[] | null;
  readonly session: string | null;
}

const FILTERS = {
  code: parseAsArrayOf(parseAsStringLiteral(FINDING_CODES)),
  severity: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)),
  blame: parseAsArrayOf(parseAsStringLiteral(BLAMES)),
  server: parseAsArrayOf(parseAsString),
  session: parseAsString,
};

/** What can be asked of findings. Names are those of the API. */
export const FINDING_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'code', kind: 'members', members: FINDING_CODES },
    { name: 'severity', kind: 'members', members: SEVERITIES },
    { name: 'blame', kind: 'members', members: BLAMES },
    { name: 'server', kind: 'names' },
    { name: 'session', kind: 'text' },
  ],
  takesText: false,
};

/** Which findings are shown; every part of it lives in the URL. */
export function useFindingFilters(): readonly [FindingFilters, (filters: Partial<FindingFilters>) => void] {
  const [filters, set] = useQueryStates(FILTERS, { history: 'push' });
  return [filters, (next) => void set(next)];
}

/** The filters as the API takes them, without the one named in `except`. */
export function findingParams(filters: FindingFilters, except: keyof FindingFilters | null = null): Params {
  const entries = Object.entries(filters).filter(([name]) => name !== except);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]));
}

/** The filters of the URL as a query. */
export function findingQuery(filters: FindingFilters): ParsedQuery {
  const values = Object.entries(filters).flatMap(([name, value]): [string, readonly string[]][] => {
    if (value === null || value.length === 0) return [];
    return [[name, typeof value === 'string' ? [value] : value]];
  });
  return { values: new Map(values), excluded: new Map(), counts: new Map(), text: null };
}

/** A query as filters of the URL; what it does not name is taken out. */
export function findingFilters({ values }: ParsedQuery): FindingFilters {
  const list = <T extends string>(name: string, members: readonly T[]): T[] | null => {
    const chosen = values.get(name);
    return chosen === undefined ? null : members.filter((member) => chosen.includes(member));
  };
  const servers = values.get('server');
  return {
    code: list('code', FINDING_CODES),
    severity: list('severity', SEVERITIES),
    blame: list('blame', BLAMES),
    server: servers === undefined ? null : [...servers],
    session: values.get('session')?.[0] ?? null,
  };
}
