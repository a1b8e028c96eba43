'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { countOf, formatCount } from '@/components/format/count';
import { durationWords, sinceWords } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';
import type { Annotation } from '@/components/overview/annotation-words';
import css from '@/components/overview/storms-section.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { SectionHead } from '@/components/ui/section-head';
import type { Annotations } from '@/lib/wire/annotation-responses';
import type { FindingCounts } from '@/lib/wire/responses';

/** Findings that say that a client comes back again and again. */
const LOOPS = ['reconnect_loop', 'stream_flap', 'stale_session_loop'] as const;
const SHOWN = 4;

interface StormsProps {
  readonly annotations: UseQueryResult<Annotations>;
  /** Undefined while they are read or cannot be. */
  readonly counts: FindingCounts | undefined;
}

/** Reconnect storms of the range, newest first, and the loops of single clients that the records prove. */
export function StormsSection({ annotations, counts }: StormsProps) {
  const storms = annotations.data?.items.filter(({ kind }) => kind === 'storm').reverse();
  const loops = LOOPS.map((code) => ({ code, count: counts?.codes[code] ?? 0 })).filter(({ count }) => count > 0);
  return (
    <section aria-label="Reconnect storms" className={css['storms']} aria-busy={annotations.isPending || annotations.isPlaceholderData}>
      <SectionHead title="Reconnect storms" sub="many reconnects by few sessions" />
      <QueryFailure what="The list of storms" query={annotations} />
      {storms === undefined && annotations.isPending && <Bone height={40} />}
      {storms?.length === 0 && (
        <p className={css['none']}>
          {counts !== undefined && loops.length === 0 ? 'None in this range, and no client in a loop.' : 'None in this range.'}
        </p>
      )}
      {storms !== undefined && <Storms storms={storms} />}
      {loops.length > 0 && (
        <p className={css['loops']}>
          Clients in a loop:{' '}
          {loops.map(({ code, count }, index) => (
            <span key={code}>
              {index > 0 && ', '}
              <SightLink href={`/findings?code=${code}`}>
                {formatCount(count)} <code>{code}</code>
              </SightLink>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

function Storms({ storms }: { readonly storms: readonly Annotation[] }) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  return (
    <ul className={css['list']}>
      {storms.slice(0, SHOWN).map((storm) => (
        <li key={storm.incident}>
          <SightLink href={`/incidents/${storm.incident}`}>{storm.label}</SightLink>
          <span>{stormTime(storm, minute)}</span>
        </li>
      ))}
      {storms.length > SHOWN && <li>and {countOf(storms.length - SHOWN, 'other')}</li>}
    </ul>
  );
}

function stormTime({ at, until }: Annotation, nowMs: number): string {
  const fromMs = Date.parse(at);
  const lasted = until === null ? 0 : Date.parse(until) - fromMs;
  return `${sinceWords(fromMs, nowMs)}${lasted >= 60_000 ? `, ${durationWords(lasted)}` : ''}`;
}
