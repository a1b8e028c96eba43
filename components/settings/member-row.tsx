'use client';

import { Age } from '@/components/format/age';
import { ConfirmButton } from '@/components/settings/confirm-button';
import type { MemberAct } from '@/components/settings/member-act';
import css from '@/components/settings/settings.module.css';
import { cx } from '@/components/ui/cx';
import { ROLES, roleOf } from '@/lib/access/roles';
import type { MemberItem } from '@/lib/wire/access-responses';

interface MemberRowProps {
  readonly member: MemberItem;
  readonly isSelf: boolean;
  readonly isBusy: boolean;
  readonly onAct: (what: MemberAct) => void;
}

/** One member: role, how they sign in, and what can be done. */
export function MemberRow({ member, isSelf, isBusy, onAct }: MemberRowProps) {
  const { name, email, role, has_password, has_provider, sign_ins, signed_in_at } = member;
  const ways = [...(has_password ? ['password'] : []), ...(has_provider ? ['OpenID'] : [])].join(', ');
  const choose = (text: string) => {
    const chosen = roleOf(text);
    if (chosen !== null && chosen !== role) onAct({ does: 'role', role: chosen });
  };
  return (
    <tr>
      <td>
        <b>{name}</b>
        {isSelf && <span className={css['faint']}> you</span>}
        <br />
        <span className={css['faint']}>{email}</span>
      </td>
      <td>
        <select
          className={css['select']}
          value={role}
          disabled={isBusy}
          aria-label={`Role of ${name}`}
          onChange={(event) => choose(event.target.value)}
        >
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </td>
      <td className={cx(css['wide'], css['soft'])}>{ways}</td>
      <td className={cx(css['wide'], css['soft'], css['nowrap'])}>
        {signed_in_at === null ? 'not now' : <Age at={signed_in_at} />}
        {sign_ins > 1 && <span className={css['faint']}> · {sign_ins} places</span>}
      </td>
      <td className={css['right']}>
        <span className={css['rowActs']}>
          <ConfirmButton
            act="New password"
            label={`New password for ${name}`}
            question={`Make a link that sets a new password for ${name}?`}
            disabled={isBusy}
            onConfirm={() => onAct({ does: 'reset' })}
          >
            It works once, for a day. When it is used, every sign-in of {name} ends. An earlier link of this kind ends now.
          </ConfirmButton>
          {sign_ins > 0 && !isSelf && (
            <ConfirmButton
              act="Sign out"
              label={`Sign out ${name}`}
              question={`Sign ${name} out everywhere?`}
              disabled={isBusy}
              onConfirm={() => onAct({ does: 'sign-out' })}
            >
              They can sign in again.
            </ConfirmButton>
          )}
          <ConfirmButton
            act="Remove"
            label={`Remove ${name}`}
            question={`Remove ${name}?`}
            disabled={isBusy}
            onConfirm={() => onAct({ does: 'remove' })}
          >
            Their sign-ins end at once. What they did stays in the change log and in incidents, under {email}.
          </ConfirmButton>
        </span>
      </td>
    </tr>
  );
}
