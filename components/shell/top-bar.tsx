import type { ReactNode } from 'react';
import { LiveIndicator } from '@/components/live/live-indicator';
import { SearchButton } from '@/components/shell/search-button';
import css from '@/components/shell/top-bar.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';

interface TopBarProps {
  readonly title: ReactNode;
  /** The page above this one. */
  readonly parent?: { readonly href: string; readonly name: string };
  readonly isDense?: boolean;
  /** Controls of the page: range, copy link. */
  readonly children?: ReactNode;
}

/** The bar over every page: where one is, whether it is live, and what the page looks at. */
export function TopBar({ title, parent, isDense = false, children }: TopBarProps) {
  return (
    <header className={cx(css['bar'], isDense && css['dense'])}>
      <h1 className={css['title']}>
        {parent !== undefined && (
          <span className={css['crumb']}>
            <SightLink href={parent.href}>{parent.name}</SightLink> /
          </span>
        )}
        <span>{title}</span>
      </h1>
      <span className={css['space']} />
      <LiveIndicator />
      {children}
      <SearchButton />
    </header>
  );
}
