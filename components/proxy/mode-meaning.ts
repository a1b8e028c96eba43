import type { ProxyRouteItem } from '@/lib/wire/proxy-responses';

export type RouteMode = ProxyRouteItem['mode'];

/** What a mode does, in words, given the share of `canary`. */
export const MODE_MEANING: Readonly<Record<RouteMode, (canaryPercent: number) => string>> = {
  shadow: () => 'Everything passes. What would have been refused is counted and recorded.',
  canary: (percent) => `Refuses for ${percent} % of the sessions, always the same ones; the others pass.`,
  enforce: () => 'What cannot be served whole is refused, and the client is told what to do.',
};

/** The share that a text names, 0 to 100; null where it names none. */
export function shareOf(text: string): number | null {
  const share = text.trim() === '' ? Number.NaN : Number(text);
  return share >= 0 && share <= 100 ? share : null;
}
