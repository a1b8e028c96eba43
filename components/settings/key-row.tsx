'use client';

import { Age } from '@/components/format/age';
import { fullInstant } from '@/components/format/instant';
import { ConfirmButton } from '@/components/settings/confirm-button';
import { RotateButton, type Rotation } from '@/components/settings/rotate-button';
import css from '@/components/settings/settings.module.css';
import { cx } from '@/components/ui/cx';
import type { AccessKeyItem } from '@/lib/wire/key-responses';

/** What is done with a key. */
export type KeyAct = ({ readonly does: 'rotate' } & Rotation) | { readonly does: 'revoke' };

interface KeyRowProps {
  readonly item: AccessKeyItem;
  /** Whether another key was made in its place: that one is rotated next. */
  readonly isReplaced: boolean;
  readonly isBusy: boolean;
  readonly onAct: (what: KeyAct) => void;
}

/** One key: what it may do, when it was used, and what can be done with it. */
export function KeyRow({ item, isReplaced, isBusy, onAct }: KeyRowProps) {
  const { label, prefix, project, scopes, state, created_at, created_by, last_used_at, expires_at } = item;
  const isOver = state === 'revoked' || state === 'expired';
  return (
    <tr className={cx(isOver && css['over'])}>
      <td>
        <b>{label}</b>
        <span className={css['faint']}> · {project}</span>
        <br />
        <code className={css['faint']}>{prefix}…</code>
      </td>
      <td className={css['soft']}>{scopes.join(', ')}</td>
      <td className={cx(css['wide'], css['soft'])}>
        <Age at={created_at} /> by {created_by}
      </td>
      <td className={cx(css['soft'], css['nowrap'])}>{last_used_at === null ? 'never' : <Age at={last_used_at} />}</td>
      <td className={cx(css['wide'], css['soft'], css['nowrap'])}>
        {state === 'expiring' && expires_at !== null ? `until ${fullInstant(Date.parse(expires_at)).slice(0, 16)}` : state}
      </td>
      <td className={css['right']}>
        {!isOver && (
          <span className={css['rowActs']}>
            {!isReplaced && (
              <RotateButton
                label={label}
                isTermed={expires_at !== null}
                disabled={isBusy}
                onRotate={(rotation) => onAct({ does: 'rotate', ...rotation })}
              />
            )}
            <ConfirmButton
              act="Revoke"
              label={`Revoke ${label}`}
              question={`Revoke ${label}?`}
              disabled={isBusy}
              onConfirm={() => onAct({ does: 'revoke' })}
            >
              Whatever sends it is refused from now on{last_used_at === null ? '. It was never used' : ''}.
            </ConfirmButton>
          </span>
        )}
      </td>
    </tr>
  );
}
