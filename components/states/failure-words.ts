import { ApiFailure } from '@/components/api/api-failure';
import { durationWords, timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';

export interface FailureWords {
  readonly happened: string;
  /** What the page shows instead, and how old it is; null when it has nothing to show. */
  readonly shown: string | null;
  readonly nextStep: string;
}

const NEXT_STEP: Readonly<Record<string, string>> = {
  unreachable: 'Check that Tidemark runs and that this browser reaches it.',
  timeout: 'Narrow the range, or try again when the machine has less to do.',
};

/** A failed read in words: what happened, what is shown instead, what to do. `dataAtMs` 0 means no data. */
export function failureWords(what: string, cause: unknown, dataAtMs: number, nowMs: number): FailureWords {
  const isKnown = cause instanceof ApiFailure;
  const why = isKnown ? cause.message : 'The page met an error of its own.';
  const nextStep =
    (isKnown ? (cause.nextStep ?? NEXT_STEP[cause.code]) : undefined) ?? 'Try again; if it stays, look at the log of Tidemark.';
  return {
    happened: `${what} could not be read. ${why}`,
    shown:
      dataAtMs === 0
        ? null
        : `Showing data of ${timeOfDay(dataAtMs, 's')} ${zoneName(dataAtMs)}, ${durationWords(Math.max(0, nowMs - dataAtMs))} old.`,
    nextStep,
  };
}
