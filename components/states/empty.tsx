import type { ReactNode } from 'react';
import css from '@/components/states/states.module.css';

interface EmptyProps {
  readonly title: string;
  /** Why nothing is here and what to do about it. */
  readonly children: ReactNode;
  readonly acts?: ReactNode;
}

/** A place without content says why, and what to do. */
export function Empty({ title, children, acts }: EmptyProps) {
  return (
    <div className={css['empty']}>
      <b>{title}</b>
      {children}
      {acts !== undefined && <div className={css['emptyActs']}>{acts}</div>}
    </div>
  );
}
