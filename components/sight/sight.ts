/** The members of an address that say what a page looks at, whatever the page: the time, the project, and in which zone. */
export const SIGHT = ['range', 'project', 'zone'] as const;

/** Pages that look at no project; in the settings the member names the project whose keys are shown. */
const OF_NO_PROJECT = ['/alerts', '/settings', '/proxy-routes'];

/** An address of this site that goes on looking at what `now`, the query of the page, looks at. What it names itself stays. */
export function withSight(href: string, now: URLSearchParams): string {
  if (!href.startsWith('/') || href.startsWith('//') || href.startsWith('/api/')) return href;
  const [address = '', ...hash] = href.split('#');
  const [path = '', ...query] = address.split('?');
  const named = new URLSearchParams(query.join('?'));
  const parts = query.filter((part) => part !== '');
  for (const name of SIGHT) {
    const value = now.get(name);
    if (value === null || value === '' || named.has(name)) continue;
    if (name === 'project' && OF_NO_PROJECT.some((place) => path === place || path.startsWith(`${place}/`))) continue;
    // A colon needs no escape in a query, and times are full of them.
    parts.push(`${name}=${encodeURIComponent(value).replaceAll('%3A', ':')}`);
  }
  return [parts.length === 0 ? path : `${path}?${parts.join('&')}`, ...hash].join('#');
}
