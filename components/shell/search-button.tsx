'use client';

import { useOpenLayer } from '@/components/shell/layers';
import css from '@/components/shell/top-bar.module.css';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** Opens the palette; on a phone the bottom bar does. */
export function SearchButton() {
  const openLayer = useOpenLayer();
  return (
    <span className={css['search']}>
      <Button title="Search or jump to" aria-keyshortcuts="Control+K" onClick={() => openLayer('palette')}>
        <Icon name="search" size={12} />
        Search <kbd>Ctrl K</kbd>
      </Button>
    </span>
  );
}
