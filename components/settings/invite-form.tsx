'use client';

import { type FormEvent, useId, useState } from 'react';
import { postJson } from '@/components/api/get-json';
import { ChangeFailure } from '@/components/settings/change-failure';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import type { Role } from '@/lib/access/roles';
import type { LinkMade } from '@/lib/wire/access-responses';

const OPTIONS: readonly { readonly value: Role; readonly text: string }[] = [
  { value: 'viewer', text: 'viewer: reads' },
  { value: 'operator', text: 'operator: reads and acts' },
  { value: 'admin', text: 'admin: everything' },
];

/** Makes an invitation; its link is shown once. */
export function InviteForm({ onDone }: { readonly onDone: (made: LinkMade | null) => void }) {
  const id = useId();
  const [role, setRole] = useState<Role>('viewer');
  const [email, setEmail] = useState('');
  const invite = useSettingsChange(() =>
    postJson<LinkMade>('/api/v1/invitations', { role, ...(email.trim() === '' ? {} : { email: email.trim() }) }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(undefined, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} aria-label="Invitation">
      <div className={css['form']}>
        <SelectField id={`${id}role`} label="Role" value={role} options={OPTIONS} onValue={setRole} />
        <TextField
          id={`${id}email`}
          label="E-mail address"
          type="email"
          hint="Whom it is for; left empty, whoever opens the link says"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      <div className={css['acts']}>
        <Button type="submit" look="primary" disabled={invite.isPending}>
          Make the invitation
        </Button>
        <Button look="ghost" onClick={() => onDone(null)}>
          Cancel
        </Button>
      </div>
      <ChangeFailure what="The invitation could not be made:" cause={invite.error} />
    </form>
  );
}
