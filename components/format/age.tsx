'use client';

import { ageWords, fullInstant } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';

/** How long ago an instant was; the exact time with its zone on hover. */
export function Age({ at }: { readonly at: string }) {
  const now = useNow();
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={fullInstant(atMs)}>
      {ageWords(atMs, now)}
    </time>
  );
}
