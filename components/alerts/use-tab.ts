'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';

export const TABS = ['now', 'rules', 'channels', 'deliveries', 'silences'] as const;
export type Tab = (typeof TABS)[number];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  now: 'Now',
  rules: 'Rules',
  channels: 'Channels',
  deliveries: 'Deliveries',
  silences: 'Silences',
};

/** The part of alerting that is shown; in the URL, so that a link opens it. */
export function useTab() {
  return useQueryState('tab', parseAsStringLiteral(TABS).withDefault('now').withOptions({ history: 'push' }));
}
