'use client';

import { useState } from 'react';
import { useDenial } from '@/components/access/use-denial';
import { useModeSwitch } from '@/components/api/use-proxy';
import { ModeDialog } from '@/components/proxy/mode-dialog';
import { MODE_MEANING, type RouteMode } from '@/components/proxy/mode-meaning';
import look from '@/components/proxy/proxy.module.css';
import { Button } from '@/components/ui/button';
import { PROXY_MODES, type ProxyRouteItem } from '@/lib/wire/proxy-responses';

/** The mode of a route and the share of `canary`. A switch is asked for once more, with what it would have changed. */
export function ModeSwitch({ route, backtest }: { readonly route: ProxyRouteItem; readonly backtest: string }) {
  const [wanted, want] = useState<RouteMode | null>(null);
  const change = useModeSwitch();
  const denial = useDenial();
  const isLocked = change.isPending || denial !== null;
  return (
    <div className={look['mode']}>
      <fieldset className={look['modes']} aria-label={`Mode of ${route.name}`} title={denial ?? undefined}>
        {PROXY_MODES.map((mode) => (
          <button
            key={mode}
            type="button"
            className={look['modeButton']}
            aria-pressed={mode === route.mode}
            disabled={isLocked}
            onClick={() => mode !== route.mode && want(mode)}
          >
            {mode}
          </button>
        ))}
      </fieldset>
      {route.mode === 'canary' && (
        <Button disabled={isLocked} title={denial ?? undefined} onClick={() => want('canary')}>
          Change the share
        </Button>
      )}
      <p className={look['words']} role="status">
        {change.isError ? `The mode was not changed: ${change.error.message}` : MODE_MEANING[route.mode](route.canary_percent)}{' '}
        {denial !== null && denial !== '' && `Switching: ${denial}`}
      </p>
      {wanted !== null && (
        <ModeDialog
          route={route}
          wanted={wanted}
          backtest={backtest}
          onKeep={() => want(null)}
          onApply={(canaryPercent) => {
            change.mutate({ route: route.name, mode: wanted, canaryPercent });
            want(null);
          }}
        />
      )}
    </div>
  );
}
