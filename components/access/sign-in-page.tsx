'use client';

import { useSearchParams } from 'next/navigation';
import { type FormEvent, useId, useState } from 'react';
import { EntryPage } from '@/components/access/entry-page';
import css from '@/components/access/entry-page.module.css';
import { useAccess, useProviderSignIn, useSignIn } from '@/components/api/use-access';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { TextLink } from '@/components/ui/text-link';
import { ownPath } from '@/lib/access/own-path';

/** Where members sign in; leads back to where they wanted to go, on this server only. */
export function SignInPage() {
  const access = useAccess();
  const params = useSearchParams();
  const to = ownPath(params.get('to'));
  const error = params.get('error');
  if (access.data?.auth === 'off')
    return (
      <EntryPage title="Nobody is asked to sign in here" words="This server runs without authentication, for this machine only.">
        <TextLink href="/">Go to the overview</TextLink>
      </EntryPage>
    );
  if (access.data?.has_admin === false && access.data.provider === null)
    return (
      <EntryPage
        title="There is no administrator yet"
        words="The server printed a one-time link when it started. Whoever opens it becomes the first administrator; if it has expired, start the server again."
      />
    );
  return (
    <EntryPage title="Sign in" words={to === '/' ? undefined : `You are led on to ${to.split('?', 1)[0]} afterwards.`}>
      <QueryFailure what="How one signs in here" query={access} />
      {error !== null && (
        <p className={css['wrong']} role="alert">
          {ERRORS[error] ?? 'The sign-in by the provider did not succeed.'}
        </p>
      )}
      {access.data?.provider != null && <ProviderButton name={access.data.provider} to={to} />}
      <PasswordForm to={to} />
    </EntryPage>
  );
}

/** What came back from the provider in place of somebody. */
const ERRORS: Readonly<Record<string, string>> = {
  signup_disabled: 'You are not a member here. Ask an administrator for an invitation.',
  unable_to_create_user: 'The provider does not call your e-mail address verified, so you cannot become a member by it.',
  account_not_linked: 'The provider does not call your e-mail address verified, so you are not known to be that member.',
  access_denied: 'You called the sign-in off.',
};

function ProviderButton({ name, to }: { readonly name: string; readonly to: string }) {
  const start = useProviderSignIn();
  return (
    <div className={css['form']}>
      <Button
        disabled={start.isPending || start.isSuccess}
        onClick={() => start.mutate(to, { onSuccess: ({ url }) => location.assign(url) })}
      >
        Sign in by {name}
      </Button>
      {start.error !== null && (
        <p className={css['wrong']} role="alert">
          {sentence(start.error.message)}
        </p>
      )}
      <span className={css['rule']}>or by password</span>
    </div>
  );
}

function PasswordForm({ to }: { readonly to: string }) {
  const id = useId();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A whole load: nothing that was fetched for somebody else stays.
    signIn.mutate({ email: email.trim(), password }, { onSuccess: () => location.assign(to) });
  };
  return (
    <form className={css['form']} onSubmit={submit} aria-label="Sign in">
      <TextField
        id={`${id}email`}
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        id={`${id}password`}
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error !== null && (
        <p className={css['wrong']} role="alert">
          {sentence(signIn.error.message)}
        </p>
      )}
      <Button type="submit" look="primary" disabled={signIn.isPending || signIn.isSuccess}>
        Sign in
      </Button>
    </form>
  );
}

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`.replace(/\.\.$/, '.');
