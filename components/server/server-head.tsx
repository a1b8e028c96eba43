'use client';

import { Age } from '@/components/format/age';
import { countAtLeast, formatCount } from '@/components/format/count';
import { useNow } from '@/components/format/use-now';
import { troubleWords, worstMark } from '@/components/overview/server-trouble';
import css from '@/components/server/server-page.module.css';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { ServerDetail } from '@/lib/wire/responses';

/** What the server comes to in the range, and how much was heard of it. */
export function ServerHead({ detail: { server, totals, is_whole, attempts_read } }: { readonly detail: ServerDetail }) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const query = `server=${encodeURIComponent(server)}`;
  return (
    <section className={css['head']} aria-label="What it does">
      <div className={css['title']}>
        <VerdictMark mark={totals === null ? 'unverifiable' : worstMark(totals)} size={13} />
        <div>
          <h2>{totals === null ? 'Not heard of in this range' : troubleWords(totals, minute)}</h2>
          <p>
            {totals === null
              ? 'A server that sends no telemetry is not seen: this is unknown, not zero. Widen the range.'
              : is_whole
                ? 'Everything below is of this range.'
                : `Clients, generations and retention are of the newest ${formatCount(attempts_read)} attempts.`}
          </p>
        </div>
      </div>
      {totals !== null && (
        <dl className={css['facts']}>
          <div>
            <dt>Attempts</dt>
            <dd>
              <TextLink href={`/attempts?${query}`}>{countAtLeast(totals.attempts, totals.at_least)}</TextLink>
            </dd>
          </div>
          <div>
            <dt>Findings</dt>
            <dd>
              <TextLink href={`/findings?${query}`}>{countAtLeast(totals.findings, totals.at_least)}</TextLink>
            </dd>
          </div>
          <div>
            <dt>Sessions</dt>
            <dd>
              <TextLink href={`/sessions?${query}`}>{countAtLeast(totals.sessions, totals.at_least)}</TextLink>
            </dd>
          </div>
          <div>
            <dt>Events lost</dt>
            <dd>{countAtLeast(totals.events_lost, totals.at_least)}</dd>
          </div>
          <div>
            <dt>Nodes</dt>
            <dd>{formatCount(totals.nodes)}</dd>
          </div>
          <div>
            <dt>Last heard</dt>
            <dd>
              <Age at={totals.last_seen_at} />
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}
