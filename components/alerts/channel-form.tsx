'use client';

import { type FormEvent, useId, useState } from 'react';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import type { MadeSecret } from '@/components/alerts/channel-acts';
import { useAlertingChange } from '@/components/alerts/use-alerting';
import { changeJson } from '@/components/api/get-json';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { CHANNEL_TYPES, type ChannelType } from '@/lib/alerting/render';

interface ChannelFormProps {
  readonly taken: readonly string[];
  /** Called with the secret that was made, or null when nothing was. */
  readonly onDone: (made: MadeSecret | null) => void;
}

const TYPES: Readonly<
  Record<ChannelType, { readonly text: string; readonly url: string; readonly hint: string; readonly secret: string }>
> = {
  webhook: {
    text: 'Webhook',
    url: 'https://example.org/hook',
    hint: 'Standard Webhooks: signed, with an id that stays the same when it is sent again',
    secret: 'Left empty, one is made and shown once',
  },
  pagerduty: {
    text: 'PagerDuty',
    url: 'https://events.pagerduty.com/v2/enqueue',
    hint: 'Events API v2',
    secret: 'The routing key of the integration, required',
  },
  slack: { text: 'Slack', url: 'https://hooks.slack.com/services/…', hint: 'An incoming webhook', secret: 'None is needed' },
  alertmanager: {
    text: 'Alertmanager',
    url: 'https://receiver.example/alerts',
    hint: 'A receiver of its webhook, version 4',
    secret: 'Sent as a bearer token; may stay empty',
  },
  email: {
    text: 'E-mail',
    url: 'smtps://user:password@mail.example:465?from=tidemark@x.example&to=oncall@x.example',
    hint: 'An SMTP server with from and one or more to',
    secret: 'None is needed: the password stands in the URL',
  },
};
const OPTIONS = CHANNEL_TYPES.map((value) => ({ value, text: TYPES[value].text }));

/** Makes a channel. The address and the secret leave this page once and are not shown again. */
export function ChannelForm({ taken, onDone }: ChannelFormProps) {
  const id = useId();
  const [type, setType] = useState<ChannelType>('webhook');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const make = useAlertingChange(() =>
    changeJson<MadeSecret>('PUT', `/api/v1/alerts/channels/${encodeURIComponent(name)}`, {
      type,
      url: url.trim(),
      ...(secret === '' ? {} : { secret }),
    }),
  );
  const isTaken = taken.includes(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isTaken) make.mutate(undefined, { onSuccess: onDone });
  };
  const words = TYPES[type];
  return (
    <form onSubmit={submit} aria-label="New channel">
      <div className={css['form']}>
        <TextField
          id={`${id}name`}
          label="Name"
          required
          maxLength={100}
          value={name}
          problem={isTaken ? 'There is a channel of this name' : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField id={`${id}type`} label="Type" hint={words.hint} value={type} options={OPTIONS} onValue={setType} />
        <TextField
          id={`${id}url`}
          label="Address"
          required
          placeholder={words.url}
          hint="Private and loopback addresses are refused unless the configuration file lists them"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          id={`${id}secret`}
          label="Secret"
          type="password"
          autoComplete="new-password"
          hint={words.secret}
          required={type === 'pagerduty'}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
        />
      </div>
      <div className={css['acts']}>
        <Button type="submit" look="primary" disabled={make.isPending || isTaken}>
          Make the channel
        </Button>
        <Button look="ghost" onClick={() => onDone(null)}>
          Cancel
        </Button>
      </div>
      <ChangeFailure what="The channel could not be made:" cause={make.error} />
    </form>
  );
}
