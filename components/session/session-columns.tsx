import { type ColumnDef, createColumnHelper } from '@tanstack/react-table';
import { Age } from '@/components/format/age';
import { formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { columnLook as look } from '@/components/table/record-table';
import css from '@/components/table/record-table.module.css';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { SessionItem } from '@/lib/wire/responses';

const column = createColumnHelper<SessionItem>();
const { right, soft, faint, mid, low, mark } = css;

/** The columns of the list of sessions. */
export const SESSION_COLUMNS: ColumnDef<SessionItem>[] = [
  column.display({ id: 'session', header: 'Session', cell: ({ row }) => row.original.label, meta: look() }),
  column.display({
    id: 'unsafe',
    header: 'Unsafe resumes',
    cell: ({ row: { original } }) =>
      original.unsafe > 0 && (
        <span className={mark} style={{ color: markTextColour('unsafe_resume') }}>
          <VerdictMark mark="unsafe_resume" />
          {formatCount(original.unsafe)}
        </span>
      ),
    meta: look(),
  }),
  column.display({
    id: 'findings',
    header: 'Findings',
    cell: ({ row }) => (row.original.findings === 0 ? '' : formatCount(row.original.findings)),
    meta: look(right),
  }),
  column.display({
    id: 'server',
    header: 'Server',
    cell: ({ row }) => <span title={row.original.server}>{row.original.server}</span>,
    meta: look(),
  }),
  column.display({ id: 'attempts', header: 'Attempts', cell: ({ row }) => formatCount(row.original.attempts), meta: look(right, mid) }),
  column.display({ id: 'records', header: 'Records', cell: ({ row }) => formatCount(row.original.records), meta: look(right, soft, mid) }),
  column.display({
    id: 'first_at',
    header: 'First heard',
    cell: ({ row }) => fullInstant(Date.parse(row.original.first_at)).slice(0, 19),
    meta: look(faint, low),
  }),
  column.display({ id: 'last_at', header: 'Last heard', cell: ({ row }) => <Age at={row.original.last_at} />, meta: look(right, soft) }),
];
