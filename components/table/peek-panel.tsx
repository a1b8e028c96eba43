'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import css from '@/components/table/list-page.module.css';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

interface PeekPanelProps {
  /** What is shown: `Attempt`. */
  readonly what: string;
  readonly query: UseQueryResult;
  /** Null while it is being read. */
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** One row of a list in full, beside the list. */
export function PeekPanel({ what, query, title, onClose, children }: PeekPanelProps) {
  return (
    <aside className={css['peek']} aria-label={what} data-testid="peek">
      <div className={css['peekHead']}>
        {title ?? <Bone width={120} height={20} />}
        <span className={css['space']} />
        <CopyLink look="ghost" square />
        <Button look="ghost" square aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="close" size={12} />
        </Button>
      </div>
      <QueryFailure what={`The ${what.toLowerCase()}`} query={query} />
      {query.isPending && (
        <div className={css['bones']}>
          <Bone height={60} />
          <Bone height={140} />
        </div>
      )}
      {children}
    </aside>
  );
}
