'use client';

import { useAttempt } from '@/components/api/use-attempts';
import { AttemptDetail } from '@/components/attempts/attempt-detail';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import css from '@/components/table/list-page.module.css';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icon';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

/** One attempt beside the list. */
export function Peek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const attempt = useAttempt(id);
  return (
    <aside className={css['peek']} aria-label="Attempt" data-testid="peek">
      <div className={css['peekHead']}>
        {attempt.data === undefined ? <Bone width={120} height={20} /> : <VerdictBadge mark={attempt.data.mark} look="box" />}
        <span className={css['space']} />
        <CopyButton look="ghost" square icon="link" label="Copy link" text={() => location.href} />
        <Button look="ghost" square aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="close" size={12} />
        </Button>
      </div>
      <QueryFailure what="The attempt" query={attempt} />
      {attempt.data === undefined ? (
        attempt.isPending && (
          <div className={css['bones']}>
            <Bone height={60} />
            <Bone height={140} />
          </div>
        )
      ) : (
        <AttemptDetail attempt={attempt.data} />
      )}
    </aside>
  );
}
