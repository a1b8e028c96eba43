'use client';

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import { membersOf, namesOf, paramsOfNamed, queryOfNamed } from '@/components/query/filter-query';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';
import { BLAMES, type Blame, FINDING_GROUPS, type FindingCode, SEVERITIES, type Severity } from '@/lib/audit/finding';

export const FINDING_CODES: readonly FindingCode[] = Object.values(FINDING_GROUPS).flat();

/** Which findings are shown; null does not restrict. */
export interface FindingFilters {
  readonly code: FindingCode[] | null;
  readonly severity: Severity[] | null;
  readonly blame: Blame[] | null;
  readonly server: string[] | null;
  /** What is left out. */
  readonly code_not: FindingCode[] | null;
  readonly severity_not: Severity[] | null;
  readonly blame_not: Blame[] | null;
  readonly server_not: string[] | null;
  readonly session: string | null;
}

const FILTERS = {
  code: parseAsArrayOf(parseAsStringLiteral(FINDING_CODES)),
  severity: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)),
  blame: parseAsArrayOf(parseAsStringLiteral(BLAMES)),
  server: parseAsArrayOf(parseAsString),
  code_not: parseAsArrayOf(parseAsStringLiteral(FINDING_CODES)),
  severity_not: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)),
  blame_not: parseAsArrayOf(parseAsStringLiteral(BLAMES)),
  server_not: parseAsArrayOf(parseAsString),
  session: parseAsString,
};

/** What can be asked of findings. Names are those of the API. */
export const FINDING_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'code', kind: 'members', members: FINDING_CODES, canExclude: true },
    { name: 'severity', kind: 'members', members: SEVERITIES, canExclude: true },
    { name: 'blame', kind: 'members', members: BLAMES, canExclude: true },
    { name: 'server', kind: 'names', canExclude: true },
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
export const findingParams = (filters: FindingFilters, except: keyof FindingFilters | null = null): Params =>
  paramsOfNamed({ ...filters }, except);

/** The filters of the URL as a query. */
export const findingQuery = (filters: FindingFilters): ParsedQuery => queryOfNamed({ ...filters });

/** A query as filters of the URL; what it does not name is taken out. */
export function findingFilters({ values, excluded }: ParsedQuery): FindingFilters {
  return {
    code: membersOf(values.get('code'), FINDING_CODES),
    severity: membersOf(values.get('severity'), SEVERITIES),
    blame: membersOf(values.get('blame'), BLAMES),
    server: namesOf(values.get('server')),
    code_not: membersOf(excluded.get('code'), FINDING_CODES),
    severity_not: membersOf(excluded.get('severity'), SEVERITIES),
    blame_not: membersOf(excluded.get('blame'), BLAMES),
    server_not: namesOf(excluded.get('server')),
    session: values.get('session')?.[0] ?? null,
  };
}
