'use client';

import { AlertDialog } from 'radix-ui';
import { useState } from 'react';
import { MODE_MEANING, type RouteMode, shareOf } from '@/components/proxy/mode-meaning';
import look from '@/components/proxy/proxy.module.css';
import { Button } from '@/components/ui/button';
import dialog from '@/components/ui/dialog.module.css';
import { TextField } from '@/components/ui/field';
import type { ProxyRouteItem } from '@/lib/wire/proxy-responses';

interface ModeDialogProps {
  readonly route: ProxyRouteItem;
  readonly wanted: RouteMode;
  readonly backtest: string;
  readonly onKeep: () => void;
  /** The share of `canary` that goes with the switch. */
  readonly onApply: (canaryPercent: number) => void;
}

/** Asks once more before a route is switched, and for the share where it is switched to `canary`. */
export function ModeDialog({ route, wanted, backtest, onKeep, onApply }: ModeDialogProps) {
  const [text, setText] = useState(String(route.canary_percent));
  const share = shareOf(text);
  const isSame = wanted === route.mode;
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onKeep()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={dialog['veil']} />
        <AlertDialog.Content className={dialog['dialog']}>
          <AlertDialog.Title>
            {isSame ? `Change the share of canary on ${route.name}?` : `Switch ${route.name} from ${route.mode} to ${wanted}?`}
          </AlertDialog.Title>
          <AlertDialog.Description className={look['words']}>
            {MODE_MEANING[wanted](share ?? route.canary_percent)} {wanted !== 'shadow' && backtest}
          </AlertDialog.Description>
          {wanted === 'canary' && (
            <TextField
              id="canary-share"
              label="Share of the sessions, in percent"
              type="number"
              min={0}
              max={100}
              step="any"
              inputMode="decimal"
              value={text}
              onChange={(event) => setText(event.target.value)}
              problem={share === null ? 'A number from 0 to 100.' : undefined}
            />
          )}
          <div className={dialog['acts']}>
            <AlertDialog.Cancel asChild>
              <Button>{isSame ? `Keep ${route.canary_percent} %` : `Keep ${route.mode}`}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button
                look="primary"
                disabled={share === null || (isSame && share === route.canary_percent)}
                onClick={() => share !== null && onApply(share)}
              >
                {isSame ? `Change to ${share ?? '…'} %` : `Switch to ${wanted}`}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
