import { type ColumnDef, createColumnHelper } from '@tanstack/react-table';
import { markOfFinding } from '@/components/findings/finding-mark';
import { findingCountCell } from '@/components/findings/finding-words';
import { Severity } from '@/components/findings/severity';
import { timeOfDay } from '@/components/format/instant';
import { shortText } from '@/components/format/short-text';
import { zoneName } from '@/components/format/zone';
import { columnLook as look } from '@/components/table/record-table';
import css from '@/components/table/record-table.module.css';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { StoredFinding } from '@/lib/audit/answer-schema';

const column = createColumnHelper<StoredFinding>();
const { right, code, soft, faint, mid, low, opt, words, mark } = css;

/** The columns of the list of findings, in the order in which one reads a finding. */
export const FINDING_COLUMNS: ColumnDef<StoredFinding>[] = [
  column.display({
    id: 'at',
    header: () => `Time, ${zoneName()}`,
    cell: ({ row }) => <time dateTime={row.original.at}>{timeOfDay(Date.parse(row.original.at), 's')}</time>,
    meta: look(),
  }),
  column.display({
    id: 'code',
    header: 'Finding',
    cell: ({ row: { original } }) => (
      <span className={mark} style={{ color: markTextColour(markOfFinding(original.code)) }}>
        <VerdictMark mark={markOfFinding(original.code)} />
        {original.code}
      </span>
    ),
    meta: look(code),
  }),
  column.display({ id: 'severity', header: 'Severity', cell: ({ row }) => <Severity level={row.original.severity} />, meta: look() }),
  column.display({
    id: 'count',
    header: 'Count',
    cell: ({ row }) => <span className={css['gap']}>{findingCountCell(row.original)}</span>,
    meta: look(right),
  }),
  column.display({
    id: 'server',
    header: 'Server',
    cell: ({ row }) => <span title={row.original.server}>{row.original.server}</span>,
    meta: look(mid),
  }),
  column.display({ id: 'blame', header: 'Blame', cell: ({ row }) => row.original.blame, meta: look(soft, mid) }),
  column.display({
    id: 'session',
    header: 'Session',
    cell: ({ row }) => shortText(row.original.session_label ?? 'none', 11),
    meta: look(code, soft, mid),
  }),
  column.display({
    id: 'message',
    header: 'What happened',
    cell: ({ row }) => <span title={row.original.message}>{row.original.message}</span>,
    meta: look(soft, mid, words),
  }),
  column.display({ id: 'stream', header: 'Stream', cell: ({ row }) => row.original.stream ?? '', meta: look(code, faint, low, opt) }),
  column.display({ id: 'conn', header: 'Connection', cell: ({ row }) => row.original.conn ?? '', meta: look(code, faint, low, opt) }),
];
