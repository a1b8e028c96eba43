'use client';

import { useMe } from '@/components/api/use-me';
import css from '@/components/shell/who-am-i.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';

/** Who is signed in, with the way to oneself; nothing where nobody is asked to sign in. */
export function WhoAmI({ isCompact }: { readonly isCompact: boolean }) {
  const me = useMe();
  if (me.data?.kind !== 'member') return null;
  const { name, email, role } = me.data;
  return (
    <SightLink className={cx(css['who'], isCompact && css['compact'])} href="/settings?tab=you" title={`${name}, ${email}, ${role}`}>
      <Icon name="person" />
      <span className={css['hidden']}>Signed in as </span>
      <span className={css['name']}>{name}</span> <span className={css['role']}>{role}</span>
    </SightLink>
  );
}
