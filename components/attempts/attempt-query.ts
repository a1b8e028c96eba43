import { ANSWERS, type Answer, type AttemptFilters } from '@/components/attempts/use-attempt-filters';
import { membersOf, namesOf, queryOfNamed } from '@/components/query/filter-query';
import type { ParsedQuery, QueryLanguage } from '@/components/query/query-language';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS } from '@/lib/resume/types';

/** What can be asked of attempts. Names are those of the API. */
export const ATTEMPT_LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'mark', kind: 'members', members: MARKS, canExclude: true },
    { name: 'assessment', kind: 'members', members: ASSESSMENTS, canExclude: true },
    { name: 'reason', kind: 'members', members: REASONS, canExclude: true },
    { name: 'server', kind: 'names', canExclude: true },
    { name: 'unavailable', kind: 'members', members: ANSWERS, canExclude: true },
    { name: 'session', kind: 'text' },
    { name: 'client', kind: 'text' },
    { name: 'protocol_version', kind: 'text' },
    { name: 'gap', kind: 'count' },
  ],
  takesText: true,
};

/** The filters of the URL as a query. */
export function queryOfFilters({ gap, q, ...named }: AttemptFilters): ParsedQuery {
  return { ...queryOfNamed(named), counts: new Map(gap === null ? [] : [['gap', gap]]), text: q };
}

/** A query as filters of the URL; what it does not name is taken out. */
export function filtersOfQuery({ values, excluded, counts, text }: ParsedQuery): AttemptFilters {
  const list = <T extends string>(name: string, members: readonly T[]) => membersOf(values.get(name), members);
  const one = (name: string) => values.get(name)?.[0] ?? null;
  return {
    mark: list('mark', MARKS),
    assessment: list('assessment', ASSESSMENTS),
    reason: list('reason', REASONS),
    server: namesOf(values.get('server')),
    mark_not: membersOf(excluded.get('mark'), MARKS),
    assessment_not: membersOf(excluded.get('assessment'), ASSESSMENTS),
    reason_not: membersOf(excluded.get('reason'), REASONS),
    server_not: namesOf(excluded.get('server')),
    unavailable: answerOf(values.get('unavailable'), excluded.get('unavailable')),
    session: one('session'),
    client: one('client'),
    protocol_version: one('protocol_version'),
    gap: counts.get('gap') ?? null,
    q: text,
  };
}

/** What is left out is asked for as the other answer; of a query that names both, what it asks for counts. */
function answerOf(asked: readonly string[] | undefined, left: readonly string[] | undefined): Answer | null {
  const open = ANSWERS.filter((answer) => (asked === undefined ? left?.includes(answer) !== true : asked.includes(answer)));
  return open.length === 1 ? (open[0] ?? null) : null;
}
