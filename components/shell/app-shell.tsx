'use client';

import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { useOpenIncidents } from '@/components/api/use-incidents';
import { ZoneBoundary } from '@/components/format/zone-boundary';
import { useProject } from '@/components/projects/use-project';
import css from '@/components/shell/app-shell.module.css';
import { BrandMark } from '@/components/shell/brand-mark';
import { useOpenLayer } from '@/components/shell/layers';
import { isDensePage, isInPlace, isOnPhoneBar, PLACES } from '@/components/shell/places';
import { ThemeSwitch } from '@/components/shell/theme-switch';
import { useGoKeys } from '@/components/shell/use-go-keys';
import { useLiveKey } from '@/components/shell/use-live-key';
import { WhoAmI } from '@/components/shell/who-am-i';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';

/** What the navigation has room for. */
const COUNTED_MAX = 99;

/** Navigation beside the page: 200 px wide, a rail where the picture needs the width, a bottom bar on a phone. */
export function AppShell({ children }: { readonly children: ReactNode }) {
  const pathname = usePathname();
  const [project] = useProject();
  const open = useOpenIncidents(project) ?? 0;
  const isRail = isDensePage(pathname);
  useGoKeys();
  useLiveKey();
  const openLayer = useOpenLayer();
  return (
    <div className={cx(css['app'], isRail && css['rail'])}>
      <a className={css['skip']} href="#content">
        Skip to the content
      </a>
      <nav className={css['nav']} aria-label="Main">
        <SightLink href="/" className={css['brand']}>
          <BrandMark />
          <span>Tidemark</span>
        </SightLink>
        {PLACES.map((place) => (
          <SightLink
            key={place.href}
            href={place.href}
            className={cx(css['place'], !isOnPhoneBar(place) && css['beyond'])}
            title={place.name}
            aria-current={isInPlace(place, pathname) ? 'page' : undefined}
          >
            <Icon name={place.icon} />
            <span>{place.name}</span>
            {place.href === '/incidents' && <OpenCount open={open} />}
          </SightLink>
        ))}
        <button type="button" className={cx(css['place'], css['more'])} onClick={() => openLayer('palette')}>
          <Icon name="more" />
          <span>More</span>
        </button>
        <div className={css['foot']}>
          <WhoAmI isCompact={isRail} />
          <ThemeSwitch isCompact={isRail} />
        </div>
      </nav>
      <div className={css['main']}>
        <ZoneBoundary>{children}</ZoneBoundary>
      </div>
    </div>
  );
}

function OpenCount({ open }: { readonly open: number }) {
  if (open === 0) return null;
  return (
    <b className={css['count']}>
      {open > COUNTED_MAX ? `${COUNTED_MAX}+` : open}
      <i> open</i>
    </b>
  );
}
