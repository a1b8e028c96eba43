import type { ReactNode } from 'react';
import css from '@/components/access/entry-page.module.css';
import { BrandMark } from '@/components/shell/brand-mark';

interface EntryPageProps {
  readonly title: string;
  /** Under the title: what this is for. */
  readonly words?: ReactNode;
  readonly children?: ReactNode;
}

/** A page for people who did not sign in: the brand and one thing to do. */
export function EntryPage({ title, words, children }: EntryPageProps) {
  return (
    <main id="content" className={css['page']}>
      <div className={css['brand']}>
        <BrandMark />
        Tidemark
      </div>
      <h1>{title}</h1>
      {words !== undefined && <p className={css['words']}>{words}</p>}
      {children}
    </main>
  );
}
