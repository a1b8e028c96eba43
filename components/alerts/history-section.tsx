'use client';

import { useState } from 'react';
import css from '@/components/alerts/alerts.module.css';
import { eventWords } from '@/components/alerts/event-words';
import { useAlertEvents } from '@/components/alerts/use-alerting';
import { Age } from '@/components/format/age';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';

const PAGE = 30;
const MOST = 1_000;

/** What happened to alerts lately, newest first. */
export function HistorySection({ rule }: { readonly rule: string | null }) {
  const [limit, setLimit] = useState(PAGE);
  const events = useAlertEvents(rule, limit);
  const items = events.data?.items;
  return (
    <section aria-label="History of alerts">
      <SectionHead title="History" sub="newest first, kept for 30 days" />
      <QueryFailure what="The history" query={events} />
      {items === undefined && events.isPending && <Bone height={160} />}
      {items?.length === 0 && <Empty title="Nothing has happened yet">No alert began, ended or was told in the last 30 days.</Empty>}
      {items !== undefined && items.length > 0 && (
        <ol className={css['events']}>
          {items.map((event) => (
            <li key={event.id}>
              <span className={css['eventWhen']}>
                <Age at={event.at} />
              </span>
              <span>
                <SightLink className={css['ruleLink']} href={`/alerts/rules/${encodeURIComponent(event.rule)}`}>
                  {event.rule}
                </SightLink>{' '}
                {eventWords(event)}
              </span>
            </li>
          ))}
        </ol>
      )}
      {items?.length === limit && limit < MOST && (
        <Button onClick={() => setLimit(Math.min(MOST, limit * 3))} disabled={events.isFetching}>
          Older
        </Button>
      )}
    </section>
  );
}
