'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';

export const TABS = ['you', 'members', 'keys', 'projects', 'retention', 'changes'] as const;
export type Tab = (typeof TABS)[number];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  you: 'You',
  members: 'Members',
  keys: 'Keys',
  projects: 'Projects',
  retention: 'Retention',
  changes: 'Changes',
};

/** The part of the settings that is shown; in the URL, so that a link opens it. */
export function useTab() {
  return useQueryState('tab', parseAsStringLiteral(TABS).withDefault('you').withOptions({ history: 'push' }));
}
