'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { useNewestAttempts } from '@/components/api/use-reads';
import { Age } from '@/components/format/age';
import { countOf, formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { MarkMix } from '@/components/overview/mark-mix';
import page from '@/components/overview/servers-page.module.css';
import css from '@/components/overview/servers-table.module.css';
import { type SessionLine, sessionsOf } from '@/components/session/sessions-of';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

const ATTEMPTS_READ = 1_000;

/** The sessions that the newest attempts of the range belong to. */
export function SessionsPage() {
  const [range] = useTimeRange();
  const attempts = useNewestAttempts(range, {}, ATTEMPTS_READ);
  const items = attempts.data?.items;
  const sessions = useMemo(() => sessionsOf(items ?? []), [items]);
  const isCut = attempts.data !== undefined && attempts.data.next !== null;
  return (
    <>
      <TopBar title="Sessions">
        <RangePicker />
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of sessions" query={attempts} />
        <div className={page['body']}>
          {items === undefined && attempts.isPending && <Bone height={240} />}
          {items !== undefined && (
            <>
              <SectionHead
                title={countOf(sessions.length, 'session')}
                sub={
                  isCut
                    ? `of the newest ${formatCount(ATTEMPTS_READ)} attempts; narrow the range to see others`
                    : 'with a resume attempt in this range'
                }
              />
              {sessions.length === 0 ? (
                <Empty title="No session in this range">No resume attempt of any session arrived in it. Widen the range.</Empty>
              ) : (
                <SessionTable sessions={sessions} />
              )}
            </>
          )}
        </div>
      </main>
    </>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly SessionLine[] }) {
  const right = cx(css['right']);
  const rightWide = cx(css['right'], css['wide']);
  return (
    <Scroller label="Sessions" className={css['scroll']}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Worst attempt</th>
            <th scope="col" className={css['wide']}>
              Server
            </th>
            <th scope="col" className={css['wide']}>
              Verdicts
            </th>
            <th scope="col" className={rightWide}>
              Attempts
            </th>
            <th scope="col" className={rightWide}>
              Events lost
            </th>
            <th scope="col" className={right}>
              Newest attempt
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.ref}>
              <td>
                <Link className={css['name']} href={`/sessions/${session.ref}`}>
                  <code>{shortText(session.label, 12)}</code>
                </Link>
              </td>
              <td>
                <VerdictBadge mark={session.worst} look="row" />
              </td>
              <td className={css['wide']}>{session.server}</td>
              <td className={css['wide']}>
                <MarkMix marks={session.marks} />
              </td>
              <td className={rightWide}>{formatCount(session.attempts)}</td>
              <td className={cx(css['right'], css['wide'], session.lost > 0n && css['hot'])}>{formatCount(session.lost)}</td>
              <td className={cx(css['right'], css['soft'])}>
                <Age at={session.newestAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
