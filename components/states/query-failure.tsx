'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useNow } from '@/components/format/use-now';
import { failureWords } from '@/components/states/failure-words';
import css from '@/components/states/states.module.css';
import { Button } from '@/components/ui/button';

interface QueryFailureProps {
  /** What could not be read, at the head of a sentence: `The summary`. */
  readonly what: string;
  readonly query: Pick<UseQueryResult, 'error' | 'dataUpdatedAt' | 'refetch' | 'isFetching'>;
}

/** A failed read: what happened, how old what is shown is, and the way to try again. Nothing while all is well. */
export function QueryFailure({ what, query }: QueryFailureProps) {
  const now = useNow();
  if (query.error === null) return null;
  const words = failureWords(what, query.error, query.dataUpdatedAt, now);
  return (
    <div className={css['failure']} role="alert">
      <p>
        {words.happened} {words.shown} <span>{words.nextStep}</span>
      </p>
      <Button onClick={() => void query.refetch()} disabled={query.isFetching}>
        Retry
      </Button>
    </div>
  );
}
