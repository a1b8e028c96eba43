'use client';

import { useCompared } from '@/components/overview/use-compared';
import { Icon } from '@/components/ui/icon';
import css from '@/components/ui/section.module.css';

/** Draws the period before as a dashed line, and takes it away; the choice is part of the URL. */
export function CompareSwitch() {
  const [isCompared, setCompared] = useCompared();
  return (
    <button
      type="button"
      className={css['text']}
      aria-pressed={isCompared}
      title="Compare with the period of equal length before"
      onClick={() => setCompared(!isCompared)}
    >
      <Icon name={isCompared ? 'check' : 'compare'} size={14} />
      Before
    </button>
  );
}
