'use client';

import { ChangeButton } from '@/components/access/change-button';
import { useProxySessions, useSessionEnd } from '@/components/api/use-proxy';
import { Age } from '@/components/format/age';
import { countOf, formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { type HeadCell, HeadRow } from '@/components/overview/head-row';
import css from '@/components/overview/servers-table.module.css';
import look from '@/components/proxy/proxy.module.css';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import type { ProxySessionItem, ProxySessionList } from '@/lib/wire/proxy-responses';

const HEADS: readonly HeadCell[] = [
  { label: 'Session' },
  { label: 'Stream' },
  { label: 'Listener' },
  { label: 'Floor', isNumber: true },
  { label: 'Head', isNumber: true },
  {
    label: 'Lead',
    isNumber: true,
    title: 'How far the cursor of its client is above the lowest that can be resumed, in events; below zero it would be refused',
  },
  { label: 'Kept', isNumber: true, isWide: true },
  { label: 'Kept bytes', isNumber: true, isWide: true },
  { label: 'Last use', isNumber: true },
];

/** The live sessions of a route, each stream with what of it is kept, and the way to end one. */
export function RouteSessions({ route }: { readonly route: string }) {
  const sessions = useProxySessions(route);
  const end = useSessionEnd(route);
  const items = sessions.data?.items ?? [];
  return (
    <section className={look['section']} aria-label="Live sessions">
      <SectionHead
        title={sessions.data === undefined ? 'Live sessions' : countOf(items.length, 'live session')}
        sub={`${scopeOf(sessions.data)}; positions are the proxy's own, from 1; newest activity first`}
      />
      <QueryFailure what="The list of live sessions" query={sessions} />
      {sessions.data !== undefined && sessions.data.silent > 0 && (
        <p className={look['words']} role="status">
          {countOf(sessions.data.silent, 'replica')} did not answer in time; the sessions served there may be missing.
        </p>
      )}
      {end.isError && (
        <p className={look['words']} role="alert">
          The session was not ended: {end.error.message}
        </p>
      )}
      {sessions.data !== undefined && items.length === 0 && (
        <Empty title="No live session">No client has initialized through this route since {startOf(sessions.data)} started.</Empty>
      )}
      {items.length > 0 && (
        <Scroller className={css['scroll']} label="Live sessions">
          <table className={cx(css['table'], look['sessions'])}>
            <HeadRow cells={HEADS}>
              <td />
            </HeadRow>
            <tbody>{items.flatMap((session) => rowsOf(session, () => end.mutate(session.ref), end.isPending))}</tbody>
          </table>
        </Scroller>
      )}
    </section>
  );
}

/** Whose sessions a list holds. */
const scopeOf = (list: ProxySessionList | undefined): string =>
  list === undefined || list.replicas === null
    ? 'of this process'
    : list.replicas === 1
      ? 'of the only replica'
      : `of ${list.replicas} replicas`;

const startOf = ({ replicas }: ProxySessionList): string => (replicas === null ? 'this process' : 'the replicas');

function rowsOf(session: ProxySessionItem, onEnd: () => void, isBusy: boolean) {
  const { ref, nodes, last_at, streams } = session;
  const first = (
    <td rowSpan={Math.max(1, streams.length)}>
      <code title={`served by ${nodes.join(', ')}`}>{shortText(ref, 12)}</code>
    </td>
  );
  const last = (
    <>
      <td rowSpan={Math.max(1, streams.length)} className={cx(css['right'], css['soft'])}>
        <Age at={new Date(last_at).toISOString()} />
      </td>
      <td rowSpan={Math.max(1, streams.length)} className={css['right']}>
        <ChangeButton onClick={onEnd} disabled={isBusy} aria-label={`End session ${shortText(ref, 12)}`}>
          End
        </ChangeButton>
      </td>
    </>
  );
  if (streams.length === 0) {
    return [
      <tr key={ref}>
        {first}
        <td colSpan={7} className={css['soft']}>
          no stream yet
        </td>
        {last}
      </tr>,
    ];
  }
  return streams.map((stream, index) => (
    <tr key={`${ref} ${stream.stream}`} className={cx(index > 0 && look['further'])}>
      {index === 0 && first}
      <td>
        <code>{shortText(stream.stream, 24)}</code>
      </td>
      <td className={css['soft']}>{stream.has_listener ? 'reading' : stream.is_read_upstream ? 'away, read on for it' : 'none'}</td>
      <td className={css['right']}>{stream.floor}</td>
      <td className={css['right']}>{stream.head}</td>
      <td className={cx(css['right'], (stream.lead_to_floor ?? 0) < 0 && css['hot'])}>{stream.lead_to_floor ?? '—'}</td>
      <td className={cx(css['right'], css['wide'])}>{formatCount(Math.max(0, stream.head - stream.floor + 1))}</td>
      <td className={cx(css['right'], css['wide'])}>{formatCount(stream.retained_bytes)}</td>
      {index === 0 && last}
    </tr>
  ));
}
