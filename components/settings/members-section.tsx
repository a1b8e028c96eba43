'use client';

import { useState } from 'react';
import { changeJson, postJson } from '@/components/api/get-json';
import { useMay, useMe } from '@/components/api/use-me';
import { countOf } from '@/components/format/count';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ForAdmins } from '@/components/settings/for-admins';
import { InvitationsTable } from '@/components/settings/invitations-table';
import { InviteForm } from '@/components/settings/invite-form';
import type { MemberAct } from '@/components/settings/member-act';
import { MemberRow } from '@/components/settings/member-row';
import css from '@/components/settings/settings.module.css';
import { SettingsTable } from '@/components/settings/settings-table';
import { ShownOnce } from '@/components/settings/shown-once';
import { useMembers, useSettingsChange } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';
import type { LinkMade, MemberItem } from '@/lib/wire/access-responses';

const HEADS = [
  { text: 'Member' },
  { text: 'Role' },
  { text: 'Signs in by', look: 'wide' },
  { text: 'Last sign-in', look: 'wide' },
  { text: 'Actions', look: 'right' },
] as const;

interface ShownLink {
  readonly whose: string;
  readonly path: string;
}

/** Members and their roles, and who is invited. */
export function MembersSection() {
  const me = useMe();
  if (!useMay('admin') && me.data !== undefined) return <ForAdmins what="Members" />;
  return <Members me={me.data?.email ?? null} />;
}

function Members({ me }: { readonly me: string | null }) {
  const members = useMembers();
  const [link, setLink] = useState<ShownLink | null>(null);
  const [isInviting, setInviting] = useState(false);
  const act = useSettingsChange(actOnMember);
  const items = members.data?.items;
  const run = (member: MemberItem, what: MemberAct) =>
    act.mutate(
      { id: member.id, what },
      { onSuccess: (made) => made !== null && setLink({ whose: `A new password for ${member.name}`, ...made }) },
    );
  return (
    <>
      <section aria-label="Members">
        <QueryFailure what="The list of members" query={members} />
        <SectionHead
          title={items === undefined ? 'Members' : countOf(items.length, 'member')}
          sub="a role holds from the next request on"
          acts={!isInviting && <Button onClick={() => setInviting(true)}>Invite somebody</Button>}
        />
        {link !== null && (
          <ShownOnce secret={`${location.origin}${link.path}`} onDone={() => setLink(null)}>
            {link.whose}: a link that works once, shown this once. Hand it on yourself; Tidemark sends no mail.
          </ShownOnce>
        )}
        {isInviting && (
          <InviteForm
            onDone={(made) => {
              setInviting(false);
              setLink(made === null ? null : { whose: 'An invitation', path: made.path });
            }}
          />
        )}
        <ChangeFailure what="That was not done:" cause={act.error} />
        {items === undefined && members.isPending && <Bone height={120} />}
        {items !== undefined && items.length > 0 && (
          <SettingsTable label="Members" heads={HEADS}>
            {items.map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                isSelf={member.email === me}
                isBusy={act.isPending}
                onAct={(what) => run(member, what)}
              />
            ))}
          </SettingsTable>
        )}
        {items?.length === 0 && <p className={css['words']}>Nobody is a member: this server asks nobody to sign in.</p>}
      </section>
      <InvitationsTable />
    </>
  );
}

/** Does it; answers with the link that came of it, if any. */
async function actOnMember({ id, what }: { readonly id: string; readonly what: MemberAct }): Promise<LinkMade | null> {
  const path = `/api/v1/members/${encodeURIComponent(id)}`;
  switch (what.does) {
    case 'role':
      await changeJson('PATCH', path, { role: what.role });
      return null;
    case 'remove':
      await changeJson('DELETE', path);
      return null;
    case 'sign-out':
      await changeJson('POST', `${path}/sign-out`);
      return null;
    case 'reset':
      return postJson<LinkMade>(`${path}/reset`, {});
  }
}
