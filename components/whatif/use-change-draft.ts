'use client';

import { createParser, parseAsBoolean, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import { type ChangeDraft, readAmount } from '@/components/whatif/change-draft';
import { FLOOR_RULES } from '@/lib/wire/schema';

const amount = createParser<number>({ parse: readAmount, serialize: String });

const PARSERS = {
  events: amount,
  bytes: amount,
  ttlS: amount,
  floor: parseAsStringLiteral(FLOOR_RULES),
  generationCheck: parseAsBoolean,
  reconnectS: amount,
};
const KEYS = { events: 'keep', bytes: 'keep_bytes', ttlS: 'keep_s', generationCheck: 'generation_check', reconnectS: 'reconnect_s' };

/** The change that is tried; it lives in the URL, so that a link shows the same verdicts. */
export function useChangeDraft(): readonly [ChangeDraft, (draft: ChangeDraft) => void] {
  const [draft, set] = useQueryStates(PARSERS, { history: 'replace', urlKeys: KEYS });
  return [draft, useCallback((next) => void set(next), [set])];
}
