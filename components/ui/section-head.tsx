import type { ReactNode } from 'react';
import css from '@/components/ui/section.module.css';

interface SectionHeadProps {
  readonly title: string;
  readonly sub?: string;
  readonly acts?: ReactNode;
}

/** The head of a section: what it shows, in which unit, and what can be done with it. */
export function SectionHead({ title, sub, acts }: SectionHeadProps) {
  return (
    <div className={css['head']}>
      <h2>{title}</h2>
      {sub !== undefined && <span className={css['sub']}>{sub}</span>}
      {acts !== undefined && <span className={css['acts']}>{acts}</span>}
    </div>
  );
}
