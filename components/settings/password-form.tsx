'use client';

import { type FormEvent, useId, useState } from 'react';
import { PasswordFields, passwordProblem } from '@/components/access/password-fields';
import { postJson } from '@/components/api/get-json';
import { ChangeFailure } from '@/components/settings/change-failure';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { useToast } from '@/components/toast/toasts';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { TextField } from '@/components/ui/field';

const BLANK = { current: '', next: '', again: '' };

/** Changes one's password. */
export function PasswordForm() {
  const id = useId();
  const [typed, setTyped] = useState(BLANK);
  const [isTried, setTried] = useState(false);
  const show = useToast();
  const change = useSettingsChange((body: { current: string; next: string }) => postJson('/api/v1/me/password', body));
  const problem = passwordProblem(typed.next, typed.again);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem !== null) return;
    change.mutate(
      { current: typed.current, next: typed.next },
      {
        onSuccess: () => {
          setTyped(BLANK);
          setTried(false);
          show({ key: 'password', words: 'The password is changed. Other sign-ins of yours have ended.' });
        },
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="Password">
      <div className={cx(css['form'], css['narrow'])}>
        <TextField
          id={`${id}current`}
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={typed.current}
          onChange={(event) => setTyped({ ...typed, current: event.target.value })}
        />
        <PasswordFields
          password={typed.next}
          again={typed.again}
          problem={isTried ? problem : null}
          onPassword={(next) => setTyped({ ...typed, next })}
          onAgain={(again) => setTyped({ ...typed, again })}
        />
      </div>
      <div className={css['acts']}>
        <Button type="submit" disabled={change.isPending}>
          Change the password
        </Button>
      </div>
      <ChangeFailure what="The password was not changed:" cause={change.error} />
    </form>
  );
}
