'use client';

import { useSyncExternalStore } from 'react';
import { chooseTheme, keptTheme, onThemeChange } from '@/components/shell/theme';
import css from '@/components/shell/theme-switch.module.css';
import { cx } from '@/components/ui/cx';
import { Icon, type IconName } from '@/components/ui/icon';

const OPTIONS: readonly { readonly value: string; readonly label: string; readonly icon: IconName }[] = [
  { value: 'dark', label: 'Dark theme', icon: 'moon' },
  { value: 'light', label: 'Light theme', icon: 'sun' },
  { value: 'system', label: 'Theme of the system', icon: 'system' },
];

/** Dark, light or as the system says; kept in this browser and applied before the first paint by `public/theme.js`. */
export function ThemeSwitch({ isCompact }: { readonly isCompact: boolean }) {
  const chosen = useSyncExternalStore(onThemeChange, keptTheme, () => 'system');
  return (
    <fieldset className={cx(css['group'], isCompact && css['compact'])} style={{ margin: 0, padding: 0 }} aria-label="Theme">
      {OPTIONS.map(({ value, label, icon }) => (
        <button
          key={value}
          type="button"
          className={css['option']}
          aria-pressed={chosen === value}
          aria-label={label}
          title={label}
          onClick={() => chooseTheme(value)}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </fieldset>
  );
}
