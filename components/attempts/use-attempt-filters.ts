'use client';

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Params } from '@/components/api/get-json';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS } from '@/lib/resume/types';

const FILTERS = {
  mark: parseAsArrayOf(parseAsStringLiteral(MARKS)),
  assessment: parseAsArrayOf(parseAsStringLiteral(ASSESSMENTS)),
  reason: parseAsArrayOf(parseAsStringLiteral(REASONS)),
  server: parseAsArrayOf(parseAsString),
  session: parseAsString,
  client: parseAsString,
  protocol_version: parseAsString,
  q: parseAsString,
};

/** Which attempts are shown; every part of it lives in the URL. */
export function useAttemptFilters() {
  return useQueryStates(FILTERS, { history: 'push' });
}

export type AttemptFilters = ReturnType<typeof useAttemptFilters>[0];

/** The filters as the API takes them, without those named in `except`. */
export function filterParams(filters: AttemptFilters, except: keyof AttemptFilters | null = null): Params {
  const entries = Object.entries(filters).filter(([name]) => name !== except);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]));
}

/** Whether anything but the range restricts what is shown. */
export function hasFilters(filters: AttemptFilters): boolean {
  return Object.values(filters).some((value) => value !== null && value.length > 0);
}

/** What `hasFilters` is false of. */
export const NO_FILTERS = {
  mark: null,
  assessment: null,
  reason: null,
  server: null,
  session: null,
  client: null,
  protocol_version: null,
  q: null,
} as const;
