'use client';

import { Dialog } from 'radix-ui';
import { useId, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import { useShare, useShares, useUnshare } from '@/components/api/use-shares';
import { Age } from '@/components/format/age';
import { fullInstant } from '@/components/format/instant';
import css from '@/components/incidents/share-dialog.module.css';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ShownOnce } from '@/components/settings/shown-once';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import dialog from '@/components/ui/dialog.module.css';
import { SelectField } from '@/components/ui/field';
import { Icon } from '@/components/ui/icon';

const TERMS = [
  { value: '1', text: 'for a day' },
  { value: '7', text: 'for 7 days' },
  { value: '30', text: 'for 30 days' },
  { value: '90', text: 'for 90 days' },
] as const;

/** Makes, lists and ends links that show an incident to whoever has them. */
export function ShareDialog({ incident }: { readonly incident: string }) {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <ChangeButton aria-label="Share">
          <Icon name="upload" size={13} />
          <span className={css['roomy']}>Share</span>
        </ChangeButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content className={css['dialog']}>
          <div className={css['head']}>
            <Dialog.Title>Share this incident</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="ghost" square aria-label="Close">
                <Icon name="close" size={12} />
              </Button>
            </Dialog.Close>
          </div>
          <Dialog.Description className={css['words']}>
            Whoever has the link sees what happened, the timeline and the report; no owner, no comments, nothing else of this Tidemark.
          </Dialog.Description>
          <Links incident={incident} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Links({ incident }: { readonly incident: string }) {
  const id = useId();
  const [term, setTerm] = useState<(typeof TERMS)[number]['value']>('7');
  const shares = useShares(incident);
  const share = useShare(incident);
  const unshare = useUnshare(incident);
  const active = shares.data?.items.filter(({ state }) => state === 'active') ?? [];
  return (
    <>
      <div className={css['make']}>
        <SelectField id={`${id}term`} label="It holds" value={term} options={TERMS} onValue={setTerm} />
        <Button look="primary" disabled={share.isPending} onClick={() => share.mutate(Number(term))}>
          Make a link
        </Button>
      </div>
      {share.data !== undefined && (
        <ShownOnce secret={`${location.origin}${share.data.path}`} onDone={() => share.reset()}>
          The link, shown this once:
        </ShownOnce>
      )}
      <ChangeFailure what="The link could not be made:" cause={share.error} />
      <ChangeFailure what="The link still holds:" cause={unshare.error} />
      <QueryFailure what="The list of links" query={shares} />
      {shares.data !== undefined && active.length === 0 && <p className={css['words']}>No link to it holds.</p>}
      <ul className={css['links']} aria-label="Links that hold">
        {active.map((link) => (
          <li key={link.id}>
            <span>
              <Age at={link.created_at} /> by {link.created_by}, until {fullInstant(Date.parse(link.expires_at)).slice(0, 16)}
            </span>
            <Button disabled={unshare.isPending} onClick={() => unshare.mutate(link.id)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
