'use client';

import { countAtLeast, formatCount } from '@/components/format/count';
import { useNow } from '@/components/format/use-now';
import { type HeadCell, HeadRow } from '@/components/overview/head-row';
import { MarkMix } from '@/components/overview/mark-mix';
import { byTrouble, keepsTooLittle, troubleWords, worstMark } from '@/components/overview/server-trouble';
import css from '@/components/overview/servers-table.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { ServerItem } from '@/lib/wire/responses';

const rightWide = cx(css['right'], css['wide']);

const HEADS: readonly HeadCell[] = [
  { label: 'Server' },
  { label: 'What is wrong' },
  { label: 'Verdicts', isWide: true },
  { label: 'Attempts', isNumber: true, isWide: true },
  { label: 'Unsafe', isNumber: true },
  { label: 'Unavailable', isNumber: true, isWide: true },
  { label: 'Findings', isNumber: true, isWide: true },
  {
    label: 'Lead',
    isNumber: true,
    isWide: true,
    title: 'Smallest distance between an accepted cursor and what was still served, in events',
  },
  { label: 'Kept / needed', isNumber: true, isWide: true, title: 'Most events kept at an attempt, and most that one attempt needed' },
];

interface ServersTableProps {
  readonly servers: readonly ServerItem[];
  /** Whether there is room to count findings too. */
  readonly hasFindings?: boolean;
}

/** Servers, the most troubled first: what is wrong, how often, and whether they keep what their clients need. */
export function ServersTable({ servers, hasFindings = false }: ServersTableProps) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  return (
    <Scroller className={css['scroll']} label="Servers by trouble">
      <table className={css['table']}>
        <HeadRow cells={hasFindings ? HEADS : HEADS.filter(({ label }) => label !== 'Findings')} />
        <tbody>
          {byTrouble(servers).map((server) => (
            <ServerRow key={server.server} server={server} nowMs={minute} hasFindings={hasFindings} />
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

interface ServerRowProps {
  readonly server: ServerItem;
  readonly nowMs: number;
  readonly hasFindings: boolean;
}

function ServerRow({ server, nowMs, hasFindings }: ServerRowProps) {
  const unsafe = server.marks.unsafe_resume;
  const least = (count: number) => countAtLeast(count, server.at_least);
  return (
    <tr>
      <td>
        <SightLink className={css['name']} href={`/servers/${encodeURIComponent(server.server)}`}>
          <VerdictMark mark={worstMark(server)} isAlone />
          <span>{server.server}</span>
        </SightLink>
      </td>
      <td className={css['soft']}>{troubleWords(server, nowMs)}</td>
      <td className={css['wide']}>
        <MarkMix marks={server.marks} />
      </td>
      <td className={rightWide}>{least(server.attempts)}</td>
      <td className={cx(css['right'], unsafe > 0 && css['hot'])}>{least(unsafe)}</td>
      <td className={rightWide}>{least(server.resume_unavailable)}</td>
      {hasFindings && <td className={rightWide}>{least(server.findings)}</td>}
      <td className={rightWide}>{server.lead_min === null ? 'unknown' : formatCount(server.lead_min)}</td>
      <td className={cx(css['right'], css['wide'], keepsTooLittle(server) && css['hot'])}>{retentionWords(server)}</td>
    </tr>
  );
}

function retentionWords({ kept_max, needed_max }: ServerItem): string {
  const word = (count: ServerItem['kept_max']) => (count === null ? 'unknown' : formatCount(count));
  return kept_max === null && needed_max === null ? 'unknown' : `${word(kept_max)} / ${word(needed_max)}`;
}
