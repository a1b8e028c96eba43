'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { formatCount, formatShare } from '@/components/format/count';
import css from '@/components/server/server-page.module.css';
import { cx } from '@/components/ui/cx';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import type { ServerDetail } from '@/lib/wire/responses';

type Retention = ServerDetail['retention'];

/** What the server keeps against what reconnects need, in events. */
export function RetentionSection({ retention }: { readonly retention: Retention }) {
  const [isTable, setTable] = useTwin('retention');
  const lines = linesOf(retention);
  const share = formatShare(retention.served_whole, retention.measured);
  return (
    <section aria-label="Retention">
      <SectionHead
        title="Retention"
        sub={share === null ? 'events kept against needed' : `${share} of reconnects could be served whole`}
        acts={<TwinSwitch isTable={isTable} onChange={setTable} />}
      />
      {lines.length === 0 && <p className={css['none']}>No attempt told floor, head and cursor, so this is unknown.</p>}
      {isTable && lines.length > 0 && (
        <DataTable
          label="Retention"
          heads={['', 'events']}
          rows={lines.map((line) => ({ key: line.name, cells: [line.name, formatCount(line.value)] }))}
          empty=""
        />
      )}
      {!isTable && <Bars lines={lines} />}
    </section>
  );
}

interface Line {
  readonly name: string;
  readonly value: number | string;
  readonly isKept: boolean;
}

function linesOf(retention: Retention): Line[] {
  const all: readonly (readonly [string, number | string | null, boolean])[] = [
    ['kept, least', retention.kept_min, true],
    ['kept, median', retention.kept_median, true],
    ['needed, median', retention.needed_median, false],
    ['needed by 95 %', retention.needed_p95, false],
    ['needed, most', retention.needed_max, false],
  ];
  return all.flatMap(([name, value, isKept]) => (value === null ? [] : [{ name, value, isKept }]));
}

function Bars({ lines }: { readonly lines: readonly Line[] }) {
  const highest = Math.max(1, ...lines.map(({ value }) => Number(value)));
  const kept = lines.find(({ name }) => name === 'kept, median');
  return (
    <div className={css['bars']}>
      {lines.map(({ name, value, isKept }) => {
        const isShort = !isKept && kept !== undefined && Number(value) > Number(kept.value);
        return (
          <div key={name} style={{ display: 'contents' }}>
            <span className={css['quiet']}>{name}</span>
            <i
              style={{
                width: `${(Number(value) / highest) * 100}%`,
                background: isShort ? 'var(--v-unsafe)' : isKept ? 'var(--accent)' : 'var(--text-3)',
              }}
            />
            <b className={cx(isShort && css['short'])}>
              {formatCount(value)}
              {isShort && ', more than kept'}
            </b>
          </div>
        );
      })}
    </div>
  );
}
