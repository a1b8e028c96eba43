import { countOf, formatCount } from '@/components/format/count';
import type { Annotations } from '@/lib/wire/annotation-responses';

export type Annotation = Annotations['items'][number];
type Kind = Annotation['kind'];

/** What stands in the legend of the lanes. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  deploy: 'deploy',
  boot: 'boot',
  generation: 'new generation',
  proxy_mode: 'proxy switched',
  forced_eviction: 'forced eviction',
  session_evicted: 'session evicted',
  eviction: 'eviction',
  storm: 'reconnect storm',
  incident: 'incident',
};

/** The servers of an annotation: `a`, `a, b`, `a, b, c and 4 more`. */
export function serverWords({ servers, servers_total }: Annotation): string {
  const more = servers_total - servers.length;
  return more > 0 ? `${servers.join(', ')} and ${formatCount(more)} more` : servers.join(', ');
}

/** What happened, in a few words without the time. */
export function annotationWords(annotation: Annotation): string {
  const { kind, count, label } = annotation;
  const of = annotation.servers_total === 0 ? '' : `: ${serverWords(annotation)}`;
  switch (kind) {
    case 'boot':
      return `${countOf(count, 'boot')}${of}`;
    case 'generation':
      return `${countOf(count, 'session')} in a new generation${of}`;
    case 'session_evicted':
      return `${countOf(count, 'session')} evicted${of}`;
    case 'eviction':
      return `${countOf(count, 'eviction')}${of}`;
    case 'forced_eviction':
      return `${countOf(count, 'eviction')} by a restart or for want of memory${of}`;
    case 'deploy':
      return `deployed${label === null ? '' : ` ${label}`}${of}`;
    case 'proxy_mode':
      return `proxy route ${label ?? 'switched'}`;
    default:
      return label ?? KIND_WORDS[kind];
  }
}

/** The shortest name that tells it from others in its lane. */
export function annotationTag({ kind, servers, servers_total, label, count }: Annotation): string {
  const who = servers_total === 1 ? (servers[0] ?? '') : servers_total > 1 ? `${formatCount(servers_total)} servers` : '';
  if (kind === 'deploy') return label ?? `deploy ${who}`;
  if (kind === 'proxy_mode' || kind === 'storm' || kind === 'incident') return label ?? KIND_WORDS[kind];
  return `${count === 1 ? '' : `${formatCount(count)} `}${kind === 'boot' ? (count === 1 ? 'boot' : 'boots') : kind === 'generation' ? 'new gen.' : 'evicted'} ${who}`.trim();
}
