import type { IconName } from '@/components/ui/icon';

export interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  /** The key after `g` that leads here. */
  readonly key: string;
}

/** The pages that exist, in the order of the navigation. */
export const PLACES: readonly Place[] = [
  { href: '/', name: 'Overview', icon: 'overview', key: 'o' },
  { href: '/incidents', name: 'Incidents', icon: 'incidents', key: 'i' },
  { href: '/attempts', name: 'Attempts', icon: 'attempts', key: 'a' },
  { href: '/findings', name: 'Findings', icon: 'findings', key: 'f' },
  { href: '/sessions', name: 'Sessions', icon: 'sessions', key: 's' },
  { href: '/tail', name: 'Live tail', icon: 'tail', key: 'l' },
  { href: '/servers', name: 'Servers', icon: 'servers', key: 'v' },
  { href: '/whatif', name: 'What if', icon: 'whatIf', key: 'w' },
  { href: '/proxy-routes', name: 'Proxy', icon: 'shield', key: 'p' },
  { href: '/alerts', name: 'Alerts', icon: 'alerts', key: 't' },
  { href: '/settings', name: 'Settings', icon: 'settings', key: 'c' },
];

/** Places of the bottom bar of a phone; the palette leads to the others. */
const PHONE_PLACES = ['/', '/incidents', '/findings', '/attempts'];

/** Whether a place has its place in the bottom bar of a phone. */
export function isOnPhoneBar({ href }: Place): boolean {
  return PHONE_PLACES.includes(href);
}

/** Pages that look at the time range of the URL. */
const BY_TIME = ['/', '/attempts', '/findings', '/sessions', '/servers', '/whatif', '/proxy-routes'];

/** Whether what a page shows depends on the time range. */
export function looksAtTime(pathname: string): boolean {
  return BY_TIME.includes(pathname) || pathname.startsWith('/servers/');
}

/** Whether `pathname` lies in a place: the place itself or a page below it. */
export function isInPlace(place: Place, pathname: string): boolean {
  return place.href === '/' ? pathname === '/' : pathname === place.href || pathname.startsWith(`${place.href}/`);
}

/** Lists, and pages under these, whose picture needs the width. */
const DENSE_LISTS = ['/attempts', '/findings', '/sessions', '/tail'];
const DENSE_BELOW = ['/sessions/', '/incidents/'];

/** Pages where the navigation is a rail. */
export function isDensePage(pathname: string): boolean {
  return DENSE_LISTS.includes(pathname) || DENSE_BELOW.some((place) => pathname.startsWith(place));
}
