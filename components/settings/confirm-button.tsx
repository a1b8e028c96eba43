'use client';

import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import css from '@/components/settings/settings.module.css';
import { Button } from '@/components/ui/button';
import dialog from '@/components/ui/dialog.module.css';

interface ConfirmButtonProps {
  /** What the button says, and the dialog's way on. */
  readonly act: string;
  /** Names the button for those who hear it, where its words alone stand beside many others. */
  readonly label?: string;
  readonly question: string;
  /** What follows from it. */
  readonly children: ReactNode;
  /** What is chosen on the way. */
  readonly fields?: ReactNode;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button that asks once more, with what follows from it. */
export function ConfirmButton({ act, label, question, children, fields, disabled, onConfirm }: ConfirmButtonProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger asChild>
        <Button disabled={disabled} aria-label={label}>
          {act}
        </Button>
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={dialog['veil']} />
        <AlertDialog.Content className={dialog['dialog']}>
          <AlertDialog.Title>{question}</AlertDialog.Title>
          <AlertDialog.Description className={css['words']}>{children}</AlertDialog.Description>
          {fields}
          <div className={dialog['acts']}>
            <AlertDialog.Cancel asChild>
              <Button>Cancel</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look="primary" onClick={onConfirm}>
                {act}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
