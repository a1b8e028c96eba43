'use client';

import { useMe } from '@/components/api/use-me';
import { PasswordForm } from '@/components/settings/password-form';
import css from '@/components/settings/settings.module.css';
import { useSignOut } from '@/components/shell/use-sign-out';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';
import type { MeBody } from '@/lib/wire/access-responses';

const MAY: Readonly<Record<NonNullable<MeBody['role']>, string>> = {
  viewer: 'read everything but keys and members',
  operator: 'read, acknowledge, silence, comment and resolve, and switch the mode of routes',
  admin: 'everything, keys and members included',
};

/** Who one is here, one's password, and the way out. */
export function YouSection() {
  const me = useMe();
  const signOut = useSignOut();
  if (me.data === undefined)
    return (
      <>
        <QueryFailure what="Who you are" query={me} />
        <Bone height={160} />
      </>
    );
  if (me.data.kind !== 'member' || me.data.role === null)
    return (
      <Empty title="Nobody is asked to sign in">
        This server runs without authentication, for this machine only: whoever reaches it may do everything. Start it with{' '}
        <code>TIDEMARK_AUTH=on</code> to have members and roles.
      </Empty>
    );
  return (
    <>
      <section aria-label="You">
        <SectionHead title={me.data.name} sub="signed in" />
        <dl className={css['facts']}>
          <dt>E-mail address</dt>
          <dd>{me.data.email}</dd>
          <dt>Role</dt>
          <dd>{me.data.role}</dd>
          <dt>You may</dt>
          <dd>{MAY[me.data.role]}</dd>
        </dl>
        <div className={css['acts']}>
          <Button disabled={signOut.isPending} onClick={() => signOut.mutate({ everywhere: false })}>
            Sign out
          </Button>
          <Button disabled={signOut.isPending} onClick={() => signOut.mutate({ everywhere: true })}>
            Sign out everywhere
          </Button>
        </div>
      </section>
      <section aria-label="Password">
        <SectionHead title="Password" sub="your other sign-ins end when it changes" />
        <PasswordForm />
      </section>
    </>
  );
}
