'use client';

import { changeJson } from '@/components/api/get-json';
import { Age } from '@/components/format/age';
import { countOf } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { ChangeFailure } from '@/components/settings/change-failure';
import css from '@/components/settings/settings.module.css';
import { SettingsTable } from '@/components/settings/settings-table';
import { useInvitations, useSettingsChange } from '@/components/settings/use-settings';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { SectionHead } from '@/components/ui/section-head';

const HEADS = [
  { text: 'For' },
  { text: 'Role' },
  { text: 'Made', look: 'wide' },
  { text: 'Until', look: 'wide' },
  { text: 'Actions', look: 'right' },
] as const;

/** Invitations that still hold. Nothing while there are none. */
export function InvitationsTable() {
  const invitations = useInvitations();
  const revoke = useSettingsChange((id: string) => changeJson('DELETE', `/api/v1/invitations/${id}`));
  const items = invitations.data?.items ?? [];
  if (invitations.error !== null) return <QueryFailure what="The list of invitations" query={invitations} />;
  if (items.length === 0) return null;
  return (
    <section aria-label="Invitations">
      <SectionHead title={countOf(items.length, 'open invitation')} sub="each works once" />
      <ChangeFailure what="The invitation was not revoked:" cause={revoke.error} />
      <SettingsTable label="Invitations" heads={HEADS}>
        {items.map(({ id, email, role, created_at, created_by, expires_at }) => (
          <tr key={id}>
            <td>{email ?? <span className={css['faint']}>whoever opens it</span>}</td>
            <td>{role}</td>
            <td className={cx(css['wide'], css['soft'])}>
              <Age at={created_at} /> by {created_by}
            </td>
            <td className={cx(css['wide'], css['soft'])}>{fullInstant(Date.parse(expires_at)).slice(0, 16)}</td>
            <td className={css['right']}>
              <Button
                disabled={revoke.isPending}
                aria-label={`Revoke the invitation for ${email ?? `a ${role}`}`}
                onClick={() => revoke.mutate(id)}
              >
                Revoke
              </Button>
            </td>
          </tr>
        ))}
      </SettingsTable>
    </section>
  );
}
