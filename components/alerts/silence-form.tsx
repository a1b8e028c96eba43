'use client';

import { type FormEvent, useId, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import { useDenial } from '@/components/access/use-denial';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { parseDuration } from '@/components/alerts/duration-text';
import { parseMatchers } from '@/components/alerts/matcher-text';
import { useAlertingChange } from '@/components/alerts/use-alerting';
import { useMyName } from '@/components/alerts/use-my-name';
import { changeJson } from '@/components/api/get-json';
import { TextField } from '@/components/ui/field';

interface NewSilence {
  readonly matchers: NonNullable<ReturnType<typeof parseMatchers>>;
  readonly ends_at: string;
  readonly comment: string;
  readonly author: string;
}

/** Sets a silence: what it matches, for how long, why and by whom. */
export function SilenceForm({ match }: { readonly match: string }) {
  const id = useId();
  const denial = useDenial();
  const [name, remember] = useMyName();
  const [text, setText] = useState(match);
  const [length, setLength] = useState('2 h');
  const [comment, setComment] = useState('');
  const [typedName, setTypedName] = useState<string | null>(null);
  const author = typedName ?? name;
  const matchers = parseMatchers(text);
  const seconds = parseDuration(length);
  const add = useAlertingChange((silence: NewSilence) => changeJson('POST', '/api/v1/alerts/silences', silence));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (matchers === null || seconds === null || seconds === 0) return;
    remember(author);
    const ends_at = new Date(Date.now() + seconds * 1000).toISOString();
    add.mutate(
      { matchers, ends_at, comment, author },
      {
        onSuccess: () => {
          setText('');
          setComment('');
        },
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="New silence">
      <fieldset className={css['form']} disabled={denial !== null} title={denial ?? undefined}>
        <TextField
          id={`${id}match`}
          className={css['full']}
          label="Matches"
          required
          placeholder="server=pay alertname!=unsafe-resume"
          hint="Labels, alertname or severity with =, !=, ~ or !~; in the last two * stands for any text. All must hold."
          problem={text !== '' && matchers === null ? 'Write name=value, separated by spaces' : undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <TextField
          id={`${id}length`}
          label="For"
          required
          hint="Such as 30 min, 2 h or 1 d"
          problem={seconds === null || seconds === 0 ? 'A duration such as 30 min, 2 h or 1 d' : undefined}
          value={length}
          onChange={(event) => setLength(event.target.value)}
        />
        <TextField
          id={`${id}comment`}
          label="Why"
          required
          maxLength={256}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        <TextField
          id={`${id}author`}
          label="Your name"
          required
          maxLength={100}
          value={author}
          onChange={(event) => setTypedName(event.target.value)}
        />
      </fieldset>
      <div className={css['acts']}>
        <ChangeButton type="submit" look="primary" disabled={add.isPending || matchers === null || seconds === null}>
          Silence
        </ChangeButton>
        {denial !== null && denial !== '' && <span className={css['faint']}>{denial}</span>}
      </div>
      <ChangeFailure what="The silence could not be set:" cause={add.error} />
    </form>
  );
}
