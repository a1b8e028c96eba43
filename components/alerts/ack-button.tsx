'use client';

import { type FormEvent, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { useAlertingChange } from '@/components/alerts/use-alerting';
import { useMyName } from '@/components/alerts/use-my-name';
import { changeJson } from '@/components/api/get-json';
import { Button } from '@/components/ui/button';
import type { AlertItem } from '@/lib/alerting/answer-schema';

/** Takes an alert on: it is neither repeated nor escalated any more. Asks once under which name. */
export function AckButton({ alert }: { readonly alert: AlertItem }) {
  const [name, remember] = useMyName();
  const [isAsking, setAsking] = useState(false);
  const { rule, group, episode } = alert;
  const ack = useAlertingChange((by: string) => changeJson('POST', '/api/v1/alerts/acknowledge', { rule, group, episode, by }));
  if (episode === null || alert.state === 'pending' || alert.acknowledged_at !== null) return null;
  if (isAsking) {
    const submit = (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      const typed = new FormData(event.currentTarget).get('name');
      if (typeof typed !== 'string' || typed.trim() === '') return;
      remember(typed.trim());
      setAsking(false);
      ack.mutate(typed.trim());
    };
    return (
      <form className={css['ask']} onSubmit={submit}>
        <label>
          Your name <input name="name" maxLength={100} required />
        </label>
        <Button type="submit" look="primary">
          Acknowledge
        </Button>
        <Button look="ghost" onClick={() => setAsking(false)}>
          Cancel
        </Button>
      </form>
    );
  }
  return (
    <>
      <ChangeButton look="primary" disabled={ack.isPending} onClick={() => (name === '' ? setAsking(true) : ack.mutate(name))}>
        Acknowledge
      </ChangeButton>
      <ChangeFailure what="It could not be acknowledged:" cause={ack.error} />
    </>
  );
}
