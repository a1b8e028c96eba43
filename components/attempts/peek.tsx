'use client';

import { useAttempt } from '@/components/api/use-attempts';
import { AttemptDetail } from '@/components/attempts/attempt-detail';
import { PeekPanel } from '@/components/table/peek-panel';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

/** One attempt beside the list. */
export function Peek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const attempt = useAttempt(id);
  return (
    <PeekPanel
      what="Attempt"
      query={attempt}
      title={attempt.data === undefined ? null : <VerdictBadge mark={attempt.data.mark} look="box" />}
      onClose={onClose}
    >
      {attempt.data !== undefined && <AttemptDetail attempt={attempt.data} />}
    </PeekPanel>
  );
}
