'use client';

import { Icon } from '@/components/ui/icon';
import css from '@/components/ui/section.module.css';

interface TwinSwitchProps {
  readonly isTable: boolean;
  readonly onChange: (isTable: boolean) => void;
}

/** Turns a chart into the table of the same numbers, and back. */
export function TwinSwitch({ isTable, onChange }: TwinSwitchProps) {
  return (
    <button type="button" className={css['text']} aria-pressed={isTable} onClick={() => onChange(!isTable)}>
      <Icon name={isTable ? 'chart' : 'table'} size={14} />
      {isTable ? 'Chart' : 'Table'}
    </button>
  );
}
