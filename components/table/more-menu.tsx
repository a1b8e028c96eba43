'use client';

import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import css from '@/components/table/list-page.module.css';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** The controls that the bar of a phone has no room for, behind one. */
export function MoreMenu({ children }: { readonly children: ReactNode }) {
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button square aria-label="More for this list" title="More for this list">
          <Icon name="more" size={16} />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={css['more']} align="end" sideOffset={6} aria-label="More for this list">
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
