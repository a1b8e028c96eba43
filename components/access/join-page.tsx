'use client';

import { type FormEvent, useId, useState, useSyncExternalStore } from 'react';
import { EntryPage } from '@/components/access/entry-page';
import css from '@/components/access/entry-page.module.css';
import { PasswordFields, passwordProblem } from '@/components/access/password-fields';
import { ApiFailure } from '@/components/api/api-failure';
import { useJoin, useLink } from '@/components/api/use-access';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { TextLink } from '@/components/ui/text-link';
import type { LinkBody } from '@/lib/wire/access-responses';

const WORDS: Readonly<Record<LinkBody['kind'], (link: LinkBody) => { readonly title: string; readonly words: string }>> = {
  first_run: () => ({
    title: 'Become the first administrator',
    words: 'Nobody is a member of this Tidemark yet. You can invite others afterwards.',
  }),
  invite: ({ role, created_by }) => ({ title: `You are invited as ${role === 'viewer' ? 'a' : 'an'} ${role}`, words: `By ${created_by}.` }),
  reset: ({ email }) => ({ title: 'Set a new password', words: `For ${email}. Every sign-in that there is ends.` }),
};

/** Where a one-time link leads: somebody becomes a member, or sets a new password. */
export function JoinPage() {
  const token = useToken();
  const link = useLink(token);
  const isInvalid = token === '' || (link.error instanceof ApiFailure && link.error.status !== null && link.error.status < 500);
  if (isInvalid)
    return (
      <EntryPage title="This link leads nowhere" words={link.error?.message ?? 'Its end is missing: open it exactly as you got it.'}>
        <TextLink href="/sign-in">Sign in</TextLink>
      </EntryPage>
    );
  if (token === null || link.data === undefined)
    return (
      <EntryPage title="Looking at the link">
        <QueryFailure what="The link" query={link} />
      </EntryPage>
    );
  const { title, words } = WORDS[link.data.kind](link.data);
  return (
    <EntryPage title={title} words={words}>
      <JoinForm token={token} link={link.data} />
    </EntryPage>
  );
}

function JoinForm({ token, link }: { readonly token: string; readonly link: LinkBody }) {
  const id = useId();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [isTried, setTried] = useState(false);
  const join = useJoin();
  const isNew = link.kind !== 'reset';
  const problem = passwordProblem(password, again);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem !== null) return;
    const person = isNew ? { name: name.trim(), ...(link.email === null ? { email: email.trim() } : {}) } : {};
    // A whole load: the token leaves the address and the history with it.
    join.mutate({ token, password, ...person }, { onSuccess: () => location.replace('/') });
  };
  return (
    <form className={css['form']} onSubmit={submit} aria-label="Join">
      {isNew && (
        <TextField
          id={`${id}name`}
          label="Your name"
          autoComplete="name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        id={`${id}email`}
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        readOnly={link.email !== null}
        value={link.email ?? email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordFields password={password} again={again} problem={isTried ? problem : null} onPassword={setPassword} onAgain={setAgain} />
      {join.error !== null && (
        <p className={css['wrong']} role="alert">
          {join.error.message}
        </p>
      )}
      <Button type="submit" look="primary" disabled={join.isPending || join.isSuccess}>
        {isNew ? 'Join and sign in' : 'Set the password and sign in'}
      </Button>
    </form>
  );
}

/** The token behind the `#` of the address, which no browser sends anywhere; null until the page runs in a browser. */
function useToken(): string | null {
  return useSyncExternalStore(
    (onChange) => {
      addEventListener('hashchange', onChange);
      return () => removeEventListener('hashchange', onChange);
    },
    () => location.hash.slice(1),
    () => null,
  );
}
