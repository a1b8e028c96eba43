'use client';

import { createParser, parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import { boundsText, readBounds } from '@/components/query/count-bounds';
import { paramsOfNamed } from '@/components/query/filter-query';
import type { CountBounds } from '@/components/query/query-language';
import { ASSESSMENTS, type Assessment } from '@/lib/resume/attempt-facts';
import { MARKS, type Mark } from '@/lib/resume/mark';
import { REASONS, type Reason } from '@/lib/resume/types';

/** Whether an attempt is counted as `resume_unavailable`, as the API takes it. */
export const ANSWERS = ['true', 'false'] as const;
export type Answer = (typeof ANSWERS)[number];

/** Which attempts are shown; null does not restrict. */
export interface AttemptFilters {
  readonly mark: Mark[] | null;
  readonly assessment: Assessment[] | null;
  readonly reason: Reason[] | null;
  readonly server: string[] | null;
  /** What is left out. */
  readonly mark_not: Mark[] | null;
  readonly assessment_not: Assessment[] | null;
  readonly reason_not: Reason[] | null;
  readonly server_not: string[] | null;
  readonly unavailable: Answer | null;
  readonly session: string | null;
  readonly client: string | null;
  readonly protocol_version: string | null;
  /** Events missing after the cursor. */
  readonly gap: CountBounds | null;
  readonly q: string | null;
}

const FILTERS = {
  mark: parseAsArrayOf(parseAsStringLiteral(MARKS)),
  assessment: parseAsArrayOf(parseAsStringLiteral(ASSESSMENTS)),
  reason: parseAsArrayOf(parseAsStringLiteral(REASONS)),
  server: parseAsArrayOf(parseAsString),
  mark_not: parseAsArrayOf(parseAsStringLiteral(MARKS)),
  assessment_not: parseAsArrayOf(parseAsStringLiteral(ASSESSMENTS)),
  reason_not: parseAsArrayOf(parseAsStringLiteral(REASONS)),
  server_not: parseAsArrayOf(parseAsString),
  unavailable: parseAsStringLiteral(ANSWERS),
  session: parseAsString,
  client: parseAsString,
  protocol_version: parseAsString,
  gap: createParser<CountBounds>({ parse: readBounds, serialize: boundsText, eq: (a, b) => boundsText(a) === boundsText(b) }),
  q: parseAsString,
};

/** Which attempts are shown; every part of it lives in the URL. */
export function useAttemptFilters(): readonly [AttemptFilters, (filters: Partial<AttemptFilters>) => void] {
  const [filters, set] = useQueryStates(FILTERS, { history: 'push' });
  return [filters, (next) => void set(next)];
}

/** The filters as the API takes them, without the one named in `except`. */
export function filterParams(filters: AttemptFilters, except: keyof AttemptFilters | null = null): Params {
  const { gap, ...named } = filters;
  const bounds = gap === null ? {} : { gap_min: gap.min?.toString() ?? null, gap_max: gap.max?.toString() ?? null };
  return { ...paramsOfNamed(named, except), ...bounds };
}

/** Whether anything but the range restricts what is shown. */
export function hasFilters(filters: AttemptFilters): boolean {
  return Object.values(filters).some((value) => value !== null && value.length !== 0);
}

/** What `hasFilters` is false of. */
export const NO_FILTERS: AttemptFilters = {
  mark: null,
  assessment: null,
  reason: null,
  server: null,
  mark_not: null,
  assessment_not: null,
  reason_not: null,
  server_not: null,
  unavailable: null,
  session: null,
  client: null,
  protocol_version: null,
  gap: null,
  q: null,
};
