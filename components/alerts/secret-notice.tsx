import css from '@/components/alerts/alerts.module.css';
import type { MadeSecret } from '@/components/alerts/channel-acts';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';

/** The secret of a channel, the one time it is shown. */
export function SecretNotice({ made, onDone }: { readonly made: MadeSecret; readonly onDone: () => void }) {
  return (
    <div className={css['notice']} role="status">
      <span>
        The signing secret of <b>{made.name}</b>, shown this once: <code>{made.secret}</code>
      </span>
      <CopyButton label="Copy" text={made.secret ?? ''} />
      <Button look="ghost" onClick={onDone}>
        Done
      </Button>
    </div>
  );
}
