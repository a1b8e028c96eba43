import { countOf, formatCount } from '@/components/format/count';
import { sinceWords } from '@/components/format/instant';
import type { Summary } from '@/lib/wire/responses';

const NAMED = 2;

/** How many of the known servers were heard of in the range, and which were not: `8 of 9 servers seen; ci-mcp silent since 01:02 UTC`. */
export function presenceWords({ servers_seen, servers_known, silent }: Summary, nowMs: number): string {
  const missing = servers_known - servers_seen;
  if (missing <= 0) return `${countOf(servers_seen, 'server')} seen`;
  const named = silent.slice(0, NAMED).map((one) => `${one.server} silent since ${sinceWords(Date.parse(one.last_seen_at), nowMs)}`);
  const more = missing - named.length;
  const who = [...named, ...(more > 0 ? [`${formatCount(more)} more silent`] : [])].join(', ');
  return `${formatCount(servers_seen)} of ${countOf(servers_known, 'server')} seen; ${who}`;
}
