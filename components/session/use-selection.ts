'use client';

import { parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import type { Step } from '@/components/api/timeline';
import type { PlotAttempt } from '@/components/plot/plot-data';

/**
 * The selected record, shared by list, plot and state, and kept in the URL: `step` counts from 1 as the list
 * does, `attempt` names an attempt by id. Without either, the first attempt that went wrong is selected.
 */
export function useSelection(steps: readonly Step[], attempts: readonly PlotAttempt[]) {
  const [{ step, attempt, stream }, set] = useQueryStates(
    { step: parseAsInteger, attempt: parseAsString, stream: parseAsString },
    { history: 'replace' },
  );
  const index = stepIndex(steps, attempts, step, attempt);
  const select = useCallback((next: number) => void set({ step: next + 1, attempt: null }), [set]);
  const setStream = useCallback((next: string) => void set({ stream: next, step: null, attempt: null }), [set]);
  return { index, select, stream, attempt, setStream };
}

function stepIndex(steps: readonly Step[], attempts: readonly PlotAttempt[], step: number | null, attempt: string | null): number {
  const indexOf = (key: string) => steps.find((one) => one.record.id === key || `step-${one.index}` === key)?.index;
  const named = step === null ? (attempt === null ? undefined : indexOf(attempt)) : step - 1;
  if (named !== undefined && steps.some((one) => one.index === named)) return named;
  const worst =
    attempts.find((one) => one.mark === 'unsafe_resume') ?? attempts.find((one) => one.mark === 'bad_replay') ?? attempts.at(-1);
  return (worst === undefined ? undefined : indexOf(worst.key)) ?? steps.at(-1)?.index ?? 0;
}
