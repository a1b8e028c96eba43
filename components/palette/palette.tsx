'use client';

import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useMemo, useState } from 'react';
import { useMe } from '@/components/api/use-me';
import { useZone } from '@/components/format/zone-boundary';
import { useLive } from '@/components/live/live-provider';
import { type Jump, jumpsOf } from '@/components/palette/jumps';
import css from '@/components/palette/palette.module.css';
import { useServerNames } from '@/components/palette/use-server-names';
import { TABS as SETTINGS_TABS, TAB_NAMES } from '@/components/settings/use-tab';
import { PLACES } from '@/components/shell/places';
import { chooseTheme } from '@/components/shell/theme';
import { useSignOut } from '@/components/shell/use-sign-out';
import { useViewLink } from '@/components/sight/use-view-link';
import { useWithSight } from '@/components/sight/use-with-sight';
import { useToast } from '@/components/toast/toasts';
import { FINDINGS } from '@/lib/audit/catalogue';

/** Jumps to a page, a server, an id or an explanation, and runs what can be done anywhere. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const router = useRouter();
  const withSight = useWithSight();
  const jumps = useMemo(() => jumpsOf(typed), [typed]);
  const go = (href: string) => {
    onClose();
    router.push(withSight(href));
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={css['overlay']} />
        <Dialog.Content className={css['panel']} aria-describedby={undefined} data-testid="palette">
          <Dialog.Title className={css['hidden']}>Search or jump to</Dialog.Title>
          <Command label="Search or jump to" loop>
            <Command.Input
              className={css['input']}
              value={typed}
              onValueChange={setTyped}
              placeholder="a page, a server, an id, a finding, something to do"
            />
            <Command.List className={css['list']}>
              <Command.Empty className={css['empty']}>Nothing by this name.</Command.Empty>
              <Places onGo={go} />
              <Acts onClose={onClose} />
              <Settings onGo={go} />
              <Servers onGo={go} />
              <Group heading="Findings explained">
                {Object.entries(FINDINGS).map(([code, { title }]) => (
                  <Item key={code} value={`${code} ${title}`} onSelect={() => go(`/docs/findings/${code}`)}>
                    <code>{code}</code> <span>{title}</span>
                  </Item>
                ))}
              </Group>
              <Typed jumps={jumps} typed={typed} onGo={go} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Places({ onGo }: { readonly onGo: (href: string) => void }) {
  return (
    <Group heading="Go to">
      {PLACES.map((place) => (
        <Item key={place.href} value={`go to ${place.name}`} keys={['g', place.key]} onSelect={() => onGo(place.href)}>
          {place.name}
        </Item>
      ))}
    </Group>
  );
}

function Settings({ onGo }: { readonly onGo: (href: string) => void }) {
  return (
    <Group heading="Settings">
      {SETTINGS_TABS.map((tab) => (
        <Item key={tab} value={`settings ${TAB_NAMES[tab]}`} onSelect={() => onGo(`/settings?tab=${tab}`)}>
          {TAB_NAMES[tab]}
        </Item>
      ))}
    </Group>
  );
}

function Servers({ onGo }: { readonly onGo: (href: string) => void }) {
  const servers = useServerNames();
  if (servers.length === 0) return null;
  return (
    <Group heading="Servers">
      {servers.map((name) => (
        <Item key={name} value={`server ${name}`} onSelect={() => onGo(`/servers/${encodeURIComponent(name)}`)}>
          {name}
        </Item>
      ))}
    </Group>
  );
}

function Acts({ onClose }: { readonly onClose: () => void }) {
  const { isPaused, setPaused } = useLive();
  const [zone, setZone] = useZone();
  const viewLink = useViewLink();
  const toast = useToast();
  const me = useMe();
  const signOut = useSignOut();
  const run = (act: () => void) => () => {
    onClose();
    act();
  };
  const copyLink = () =>
    navigator.clipboard?.writeText(viewLink()).then(
      () => toast({ key: 'link', words: 'The link to exactly this view is copied.' }),
      () => toast({ key: 'link', words: 'The browser refused to copy. The link is in its address bar.', tone: 'failure' }),
    );
  return (
    <Group heading="Do">
      <Item value="copy link share" onSelect={run(() => void copyLink())}>
        Copy the link to this view
      </Item>
      <Item value="live pause go on" keys={['l']} onSelect={run(() => setPaused(!isPaused))}>
        {isPaused ? 'Go on live' : 'Pause live'}
      </Item>
      <Item value="zone times local utc" onSelect={run(() => setZone(zone === 'utc' ? 'local' : 'utc'))}>
        {zone === 'utc' ? 'Show times of this place' : 'Show times in UTC'}
      </Item>
      {me.data?.kind === 'member' && (
        <Item value="sign out" onSelect={run(() => signOut.mutate({ everywhere: false }))}>
          Sign out
        </Item>
      )}
      {(['dark', 'light', 'system'] as const).map((theme) => (
        <Item key={theme} value={`theme ${theme}`} onSelect={run(() => chooseTheme(theme))}>
          {theme === 'system' ? 'Theme of the system' : `${theme === 'dark' ? 'Dark' : 'Light'} theme`}
        </Item>
      ))}
    </Group>
  );
}

interface TypedProps {
  readonly jumps: readonly Jump[];
  readonly typed: string;
  readonly onGo: (href: string) => void;
}

/** What can be made of the typed text itself; always listed, whatever else matches. */
function Typed({ jumps, typed, onGo }: TypedProps) {
  if (jumps.length === 0) return null;
  return (
    <Command.Group heading="With what is typed" className={css['group']} forceMount>
      {jumps.map(({ href, words }) => (
        <Command.Item key={href} className={css['item']} value={`${typed} ${words}`} forceMount onSelect={() => onGo(href)}>
          {words}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function Group({ heading, children }: { readonly heading: string; readonly children: React.ReactNode }) {
  return (
    <Command.Group heading={heading} className={css['group']}>
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  readonly value: string;
  readonly keys?: readonly string[];
  readonly onSelect: () => void;
  readonly children: React.ReactNode;
}

function Item({ value, keys = [], onSelect, children }: ItemProps) {
  return (
    <Command.Item className={css['item']} value={value} onSelect={onSelect}>
      {children}
      {keys.length > 0 && (
        <span className={css['keys']}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </Command.Item>
  );
}
