'use client';

import { AlertDialog } from 'radix-ui';
import { useState } from 'react';
import { useDenial } from '@/components/access/use-denial';
import { useModeSwitch } from '@/components/api/use-proxy';
import look from '@/components/proxy/proxy.module.css';
import { Button } from '@/components/ui/button';
import dialog from '@/components/ui/dialog.module.css';
import { PROXY_MODES, type ProxyRouteItem } from '@/lib/wire/proxy-responses';

type Mode = ProxyRouteItem['mode'];

const MEANING: Readonly<Record<Mode, (route: ProxyRouteItem) => string>> = {
  shadow: () => 'Everything passes. What would have been refused is counted and recorded.',
  canary: ({ canary_percent }) => `Refuses for ${canary_percent} % of the sessions, always the same ones; the others pass.`,
  enforce: () => 'What cannot be served whole is refused, and the client is told what to do.',
};

/** The mode of a route. A switch is asked for once more, with what it would have changed. */
export function ModeSwitch({ route, backtest }: { readonly route: ProxyRouteItem; readonly backtest: string }) {
  const [wanted, want] = useState<Mode | null>(null);
  const change = useModeSwitch();
  const denial = useDenial();
  const apply = () => {
    if (wanted !== null) change.mutate({ route: route.name, mode: wanted });
  };
  return (
    <div className={look['mode']}>
      <fieldset className={look['modes']} aria-label={`Mode of ${route.name}`} title={denial ?? undefined}>
        {PROXY_MODES.map((mode) => (
          <button
            key={mode}
            type="button"
            className={look['modeButton']}
            aria-pressed={mode === route.mode}
            disabled={change.isPending || denial !== null}
            onClick={() => mode !== route.mode && want(mode)}
          >
            {mode}
          </button>
        ))}
      </fieldset>
      <p className={look['words']} role="status">
        {change.isError ? `The mode was not changed: ${change.error.message}` : MEANING[route.mode](route)}{' '}
        {denial !== null && denial !== '' && `Switching: ${denial}`}
      </p>
      <AlertDialog.Root open={wanted !== null} onOpenChange={(isOpen) => !isOpen && want(null)}>
        <AlertDialog.Portal>
          <AlertDialog.Overlay className={dialog['veil']} />
          <AlertDialog.Content className={dialog['dialog']}>
            <AlertDialog.Title>
              Switch {route.name} from {route.mode} to {wanted}?
            </AlertDialog.Title>
            <AlertDialog.Description className={look['words']}>
              {wanted !== null && MEANING[wanted](route)} {wanted !== 'shadow' && backtest}
            </AlertDialog.Description>
            <div className={dialog['acts']}>
              <AlertDialog.Cancel asChild>
                <Button>Keep {route.mode}</Button>
              </AlertDialog.Cancel>
              <AlertDialog.Action asChild>
                <Button look="primary" onClick={apply}>
                  Switch to {wanted}
                </Button>
              </AlertDialog.Action>
            </div>
          </AlertDialog.Content>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </div>
  );
}
