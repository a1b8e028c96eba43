'use client';

import { useEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icon';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';
import css from '@/components/ui/section.module.css';

interface TwinSwitchProps {
  readonly isTable: boolean;
  readonly onChange: (isTable: boolean) => void;
}

/** Turns a chart into the table of the same numbers, and back; `T` does it for the chart under focus or pointer. */
export function TwinSwitch({ isTable, onChange }: TwinSwitchProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event) || isInLayer(event) || button.current !== meantSwitch()) return;
      event.preventDefault();
      onChange(!isTable);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isTable, onChange]);
  return (
    <button
      ref={button}
      type="button"
      className={css['text']}
      aria-pressed={isTable}
      aria-keyshortcuts="T"
      data-twin=""
      onClick={() => onChange(!isTable)}
    >
      <Icon name={isTable ? 'chart' : 'table'} size={14} />
      {isTable ? 'Chart' : 'Table'}
    </button>
  );
}

/** The switch of the section that has the focus, else of the one under the pointer, else the first of the page. */
function meantSwitch(): Element | null {
  const switches = [...document.querySelectorAll('[data-twin]')];
  const within = (selector: string) => switches.find((one) => one.closest('section')?.matches(selector));
  return within(':focus-within') ?? within(':hover') ?? switches[0] ?? null;
}
