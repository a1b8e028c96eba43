import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import css from '@/components/states/states.module.css';

interface HeldProps {
  /** What is shown, and may still be the answer to what was asked before. */
  readonly queries: readonly Pick<UseQueryResult, 'isPlaceholderData'>[];
  readonly children: ReactNode;
}

/** Dims an answer to another question, which stands until the one that was asked is answered, and says that it is busy. */
export function Held({ queries, children }: HeldProps) {
  return (
    <div className={css['held']} aria-busy={queries.some(({ isPlaceholderData }) => isPlaceholderData)}>
      {children}
    </div>
  );
}
