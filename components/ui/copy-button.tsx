'use client';

import { Button, type ButtonLook } from '@/components/ui/button';
import css from '@/components/ui/button.module.css';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import { useCopied } from '@/components/ui/use-copied';

interface CopyButtonProps extends ButtonLook {
  /** The text, or how to get it at the moment of the press. */
  readonly text: string | (() => string);
  readonly label: string;
  readonly icon?: 'copy' | 'link';
  /** Leaves the words out where the screen is narrow. */
  readonly isShrinking?: boolean;
}

/** Copies a text and says that it did. */
export function CopyButton({ text, label, icon = 'copy', isShrinking = false, look = 'plain', square = false }: CopyButtonProps) {
  const [state, copy] = useCopied();
  const words = state === 'copied' ? 'Copied' : state === 'failed' ? 'Could not copy' : label;
  return (
    <Button look={look} square={square} aria-label={words} title={words} onClick={() => copy(typeof text === 'string' ? text : text())}>
      <Icon name={state === 'copied' ? 'check' : icon} size={12} />
      {!square && <span className={cx(isShrinking && css['wide'])}>{words}</span>}
    </Button>
  );
}
