'use client';

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';

const ANSWERS = ['true', 'false'] as const;

/** Which sessions are shown; null does not restrict. */
export interface SessionFilters {
  readonly server: string[] | null;
  /** Whether the session has an unsafe resume. */
  readonly unsafe: (typeof ANSWERS)[number] | null;
}

/** What can be asked of sessions. Names are those of the API. */
export const SESSION_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'server', kind: 'names' },
    { name: 'unsafe', kind: 'members', members: ANSWERS },
  ],
  takesText: false,
};

/** Which sessions are shown; every part of it lives in the URL. */
export function useSessionFilters(): readonly [SessionFilters, (filters: Partial<SessionFilters>) => void] {
  const [filters, set] = useQueryStates(
    { server: parseAsArrayOf(parseAsString), unsafe: parseAsStringLiteral(ANSWERS) },
    { history: 'push' },
  );
  return [filters, (next) => void set(next)];
}

/** The filters as the API takes them, without the one named in `except`. */
export function sessionParams({ server, unsafe }: SessionFilters, except: keyof SessionFilters | null = null): Params {
  return { server: except === 'server' ? null : server?.join(','), unsafe: except === 'unsafe' ? null : unsafe };
}

/** The filters of the URL as a query. */
export function sessionQuery({ server, unsafe }: SessionFilters): ParsedQuery {
  const values = new Map<string, readonly string[]>();
  if (server !== null) values.set('server', server);
  if (unsafe !== null) values.set('unsafe', [unsafe]);
  return { values, excluded: new Map(), counts: new Map(), text: null };
}

/** A query as filters of the URL; what it does not name is taken out. */
export function sessionFilters({ values }: ParsedQuery): SessionFilters {
  const servers = values.get('server');
  return {
    server: servers === undefined ? null : [...servers],
    unsafe: ANSWERS.find((answer) => values.get('unsafe')?.at(-1) === answer) ?? null,
  };
}
