'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { countOf, formatCount, formatShare } from '@/components/format/count';
import { closeLeads, type LeadColumn, leadColumns } from '@/components/overview/lead-columns';
import css from '@/components/overview/leads-section.module.css';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import type { Summary } from '@/lib/wire/responses';

/** How close to the floor cursors were when their clients came back: the warning before the loss. */
export function LeadsSection({ leads }: { readonly leads: Summary['leads'] }) {
  const [isTable, setTable] = useTwin('leads');
  const columns = leadColumns(leads);
  const total = columns.reduce((sum, { attempts }) => sum + attempts, 0);
  return (
    <section aria-label="Lead to the floor">
      <SectionHead
        title="Lead to the floor"
        sub="events between a cursor and its loss, at reconnect"
        acts={<TwinSwitch isTable={isTable} onChange={setTable} />}
      />
      {total === 0 && <p className={css['none']}>No attempt of this range told floor and cursor, so this is unknown.</p>}
      {total > 0 && <p className={css['say']}>{leadWords(leads, total)}</p>}
      {total > 0 && isTable && (
        <DataTable
          label="Lead to the floor"
          heads={['Events until loss', 'attempts']}
          rows={columns.map(({ words, attempts }) => ({ key: words, cells: [words, formatCount(attempts)] }))}
          empty=""
        />
      )}
      {total > 0 && !isTable && <Columns columns={columns} finding={leadWords(leads, total)} />}
    </section>
  );
}

function leadWords(leads: Summary['leads'], total: number): string {
  const close = closeLeads(leads);
  const lost = leads.below === 0 ? 'None was below the floor' : `${countOf(leads.below, 'cursor was', 'cursors were')} below the floor`;
  if (close === 0) return `${lost}; none of the others was within 8 events of it.`;
  return `${lost}; ${countOf(close, 'more was', 'more were')} within 8 events of it, ${formatShare(close, total)} of ${formatCount(total)}.`;
}

function Columns({ columns, finding }: { readonly columns: readonly LeadColumn[]; readonly finding: string }) {
  const highest = Math.max(1, ...columns.map(({ attempts }) => attempts));
  return (
    <div className={css['columns']} role="img" aria-label={`Attempts by lead: ${finding}`}>
      {columns.map(({ key, zone, words, short, attempts }) => (
        <div key={key} className={css['column']} data-zone={zone} title={`${words}: ${countOf(attempts, 'attempt')}`}>
          <span className={css['bar']}>{attempts > 0 && <i style={{ height: `max(2px, ${(attempts / highest) * 100}%)` }} />}</span>
          <span className={css['tick']}>{short}</span>
        </div>
      ))}
    </div>
  );
}
