'use client';

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import { namesOf, paramsOfNamed, queryOfNamed } from '@/components/query/filter-query';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';

const ANSWERS = ['true', 'false'] as const;

/** Which sessions are shown; null does not restrict. */
export interface SessionFilters {
  readonly server: string[] | null;
  /** Servers whose sessions are left out. */
  readonly server_not: string[] | null;
  /** Whether the session has an unsafe resume. */
  readonly unsafe: (typeof ANSWERS)[number] | null;
}

/** What can be asked of sessions. Names are those of the API. */
export const SESSION_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'server', kind: 'names', canExclude: true },
    { name: 'unsafe', kind: 'members', members: ANSWERS },
  ],
  takesText: false,
};

/** Which sessions are shown; every part of it lives in the URL. */
export function useSessionFilters(): readonly [SessionFilters, (filters: Partial<SessionFilters>) => void] {
  const [filters, set] = useQueryStates(
    { server: parseAsArrayOf(parseAsString), server_not: parseAsArrayOf(parseAsString), unsafe: parseAsStringLiteral(ANSWERS) },
    { history: 'push' },
  );
  return [filters, (next) => void set(next)];
}

/** The filters as the API takes them, without the one named in `except`. */
export const sessionParams = (filters: SessionFilters, except: keyof SessionFilters | null = null): Params =>
  paramsOfNamed({ ...filters }, except);

/** The filters of the URL as a query. */
export const sessionQuery = (filters: SessionFilters): ParsedQuery => queryOfNamed({ ...filters });

/** A query as filters of the URL; what it does not name is taken out. */
export function sessionFilters({ values, excluded }: ParsedQuery): SessionFilters {
  return {
    server: namesOf(values.get('server')),
    server_not: namesOf(excluded.get('server')),
    unsafe: ANSWERS.find((answer) => values.get('unsafe')?.at(-1) === answer) ?? null,
  };
}
