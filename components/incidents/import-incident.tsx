'use client';

import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { type DragEvent, useEffect, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import { ApiFailure } from '@/components/api/api-failure';
import { postText } from '@/components/api/get-json';
import { useIncidentChange } from '@/components/api/use-incidents';
import { useMay } from '@/components/api/use-me';
import { countOf } from '@/components/format/count';
import css from '@/components/incidents/incidents-page.module.css';
import { useWithSight } from '@/components/sight/use-with-sight';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** As large as the server takes; a larger file need not be sent to be refused. */
const BYTES_MAX = 128 * 1024 * 1024;

/** Brings in a bundle or a bare history from a file: chosen, or dropped anywhere on the page. A refusal says where and why. */
export function ImportIncident() {
  const router = useRouter();
  const withSight = useWithSight();
  const [isOpen, setOpen] = useState(false);
  const [isOver, setOver] = useState(false);
  const bring = useIncidentChange(async (file: File) => {
    if (file.size > BYTES_MAX)
      throw new ApiFailure(
        'bundle_too_large',
        `${file.name} has ${countOf(file.size, 'byte')}; a bundle has at most ${countOf(BYTES_MAX, 'byte')}.`,
        null,
      );
    return postText<{ readonly id: string }>('/api/v1/incidents/import', await file.text());
  });
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file === undefined) return;
    setOpen(true);
    bring.mutate(file, { onSuccess: ({ id }) => router.push(withSight(`/incidents/${id}`)) });
  };
  useDropAnywhere(useMay('operate') ? take : null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <ChangeButton>
          <Icon name="upload" size={13} />
          Import
        </ChangeButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={css['overlay']} />
        <Dialog.Content className={css['dialog']} aria-describedby={undefined}>
          <div className={css['drop']}>
            <Dialog.Title>Import an incident</Dialog.Title>
            <label
              className={css['zone']}
              data-over={isOver}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(true);
              }}
              onDragLeave={() => setOver(false)}
              onDrop={drop}
            >
              <Icon name="upload" />
              <span>{bring.isPending ? 'Reading and checking it' : 'Drop a bundle here, or choose a file'}</span>
              <span className={css['faint']}>JSON as it was exported, or an object with title and records</span>
              <input
                type="file"
                accept="application/json,.json"
                disabled={bring.isPending}
                onChange={(event) => {
                  take(event.target.files);
                  event.target.value = '';
                }}
              />
            </label>
            {bring.isError && <Refusal cause={bring.error} />}
            <Dialog.Close asChild>
              <Button>Close</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Refusal({ cause }: { readonly cause: Error }) {
  if (!(cause instanceof ApiFailure))
    return (
      <p className={css['refused']} role="alert">
        The file could not be read.
      </p>
    );
  return (
    <p className={css['refused']} role="alert">
      <b>Refused, nothing was imported.</b> {cause.message} {cause.nextStep ?? ''} <code>{cause.code}</code>
    </p>
  );
}

/** Null: a dropped file is left to the browser. */
function useDropAnywhere(take: ((files: FileList | null) => void) | null): void {
  useEffect(() => {
    if (take === null) return;
    const over = (event: globalThis.DragEvent) => event.preventDefault();
    const drop = (event: globalThis.DragEvent) => {
      event.preventDefault();
      take(event.dataTransfer?.files ?? null);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  });
}
