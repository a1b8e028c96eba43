'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AttemptList } from '@/components/api/attempt';
import { getJson, readAllLines } from '@/components/api/get-json';
import { type Step, typedSteps } from '@/components/api/timeline';
import { LIVE_KEY } from '@/components/live/live-provider';
import type { FindingPage, SessionFindings } from '@/lib/audit/answer-schema';
import type { SessionDetail } from '@/lib/wire/responses';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { Timeline } from '@/lib/wire/timeline-responses';

/** Steps that a page reads of one session; a longer one is shown from its beginning, and says so. */
export const STEPS_MAX = 20_000;
/** Records that the debugger reads of one session. */
const DEBUGGER_RECORDS_MAX = 200_000;
const RECORDS_PER_READ = 25_000;
const STEPS_PER_READ = 10_000;
const ATTEMPTS_MAX = 1_000;
const FINDINGS_MAX = 1_000;

export function useSession(ref: string): UseQueryResult<SessionDetail> {
  return useQuery({
    queryKey: [LIVE_KEY, 'session', ref],
    queryFn: ({ signal }) => getJson<SessionDetail>(`/api/v1/sessions/${encodeURIComponent(ref)}`, {}, signal),
    placeholderData: keepPreviousData,
  });
}

/** The steps of a session's timeline, its pages joined, at most about `STEPS_MAX`. */
export function useTimeline(ref: string | null): UseQueryResult<readonly Step[]> {
  return useQuery({
    queryKey: [LIVE_KEY, 'timeline', ref],
    queryFn: ({ signal }) => readTimeline(ref ?? '', STEPS_MAX, signal),
    enabled: ref !== null,
  });
}

/** The records of a session for the debugger. What it stands on does not move under the reader: they are read once. */
export function useSessionRecords(ref: string): UseQueryResult<readonly TelemetryRecord[]> {
  return useQuery({
    queryKey: ['session-records', ref],
    queryFn: ({ signal }) => readSessionRecords(ref, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The records of a session, its pages joined. */
export function readSessionRecords(ref: string, signal: AbortSignal): Promise<readonly TelemetryRecord[]> {
  const path = `/api/v1/sessions/${encodeURIComponent(ref)}/records`;
  return readAllLines<TelemetryRecord>(path, { perRead: RECORDS_PER_READ, most: DEBUGGER_RECORDS_MAX }, signal);
}

/** What the records of a session prove. */
export function useSessionFindings(ref: string): UseQueryResult<SessionFindings> {
  return useQuery({
    queryKey: [LIVE_KEY, 'session-findings', ref],
    queryFn: ({ signal }) => getJson<SessionFindings>(`/api/v1/sessions/${encodeURIComponent(ref)}/findings`, {}, signal),
    placeholderData: keepPreviousData,
  });
}

/** What the continuous audit stored of a session; each has a page of its own. */
export function useStoredFindings(ref: string): UseQueryResult<FindingPage> {
  return useQuery({
    queryKey: [LIVE_KEY, 'stored-findings', ref],
    queryFn: ({ signal }) => getJson<FindingPage>('/api/v1/findings', { session: ref, limit: FINDINGS_MAX }, signal),
  });
}

/** The judged attempts of a session, newest first. */
export function useSessionAttempts(ref: string): UseQueryResult<AttemptList> {
  return useQuery({
    queryKey: [LIVE_KEY, 'session-attempts', ref],
    queryFn: ({ signal }) => getJson<AttemptList>('/api/v1/attempts', { session: ref, limit: ATTEMPTS_MAX }, signal),
  });
}

async function readTimeline(ref: string, most: number, signal: AbortSignal): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/api/v1/sessions/${encodeURIComponent(ref)}/timeline`;
    const page: Timeline = await getJson<Timeline>(path, { cursor, limit: STEPS_PER_READ }, signal);
    for (const step of typedSteps(page.steps)) steps.push(step);
    cursor = page.steps.length === 0 ? null : page.next;
  } while (cursor !== null && steps.length < most);
  return steps;
}
