'use client';

import { formatCount } from '@/components/format/count';
import { type HeadCell, HeadRow } from '@/components/overview/head-row';
import css from '@/components/overview/servers-table.module.css';
import look from '@/components/proxy/proxy.module.css';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import type { ProxyRouteItem } from '@/lib/wire/proxy-responses';

interface RoutesTableProps {
  readonly routes: readonly ProxyRouteItem[];
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}

const HEADS: readonly HeadCell[] = [
  { label: 'Route' },
  { label: 'Mode' },
  { label: 'Replay', isWide: true },
  { label: 'Requests', isNumber: true, isWide: true },
  { label: 'Open streams', isNumber: true },
  { label: 'Events', isNumber: true, isWide: true },
  { label: 'Resumed', isNumber: true, isWide: true },
  { label: 'Refused', isNumber: true },
  { label: 'Would refuse', isNumber: true },
];

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, count) => total + count, 0);

/** One line a route; the chosen one is shown in full below. */
export function RoutesTable({ routes, chosen, onChoose }: RoutesTableProps) {
  const right = cx(css['right']);
  const rightWide = cx(css['right'], css['wide']);
  return (
    <Scroller className={css['scroll']} label="Proxy routes">
      <table className={css['table']}>
        <HeadRow cells={HEADS} />
        <tbody>
          {routes.map((route) => (
            <tr key={route.name} className={cx(route.name === chosen && look['chosen'])}>
              <td>
                <button type="button" className={look['name']} aria-pressed={route.name === chosen} onClick={() => onChoose(route.name)}>
                  {route.name}
                </button>
              </td>
              <td>
                <code>{route.mode}</code>
                {route.mode === 'canary' && ` ${route.canary_percent} %`}
              </td>
              <td className={cx(css['wide'], css['soft'])}>{route.replay === 'proxy' ? 'by the proxy' : 'by the server, checked'}</td>
              <td className={rightWide}>{formatCount(route.requests)}</td>
              <td className={right}>{formatCount(route.open_streams)}</td>
              <td className={rightWide}>{formatCount(route.events)}</td>
              <td className={rightWide}>{formatCount(route.resumed)}</td>
              <td className={right}>{formatCount(sum(route.refused))}</td>
              <td className={cx(css['right'], sum(route.would_refuse) > 0 && css['hot'])}>{formatCount(sum(route.would_refuse))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
