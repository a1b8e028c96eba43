import type { ReactNode } from 'react';
import css from '@/components/settings/settings.module.css';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';

interface ShownOnceProps {
  /** Whose it is and what it is good for. */
  readonly children: ReactNode;
  readonly secret: string;
  readonly onDone: () => void;
}

/** A key or link, the one time that it is shown. */
export function ShownOnce({ children, secret, onDone }: ShownOnceProps) {
  return (
    <div className={css['notice']} role="status">
      <span>
        {children} <code data-testid="shown-once">{secret}</code>
      </span>
      <CopyButton label="Copy" text={secret} />
      <Button look="ghost" onClick={onDone}>
        Done
      </Button>
    </div>
  );
}
