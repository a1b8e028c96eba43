import { type ColumnDef, createColumnHelper } from '@tanstack/react-table';
import type { Attempt } from '@/components/api/attempt';
import { actCell, cursorCell, gapCell, hasWrongStatus, positionCell, reasonCell } from '@/components/attempts/columns';
import { timeOfDay } from '@/components/format/instant';
import { shortText } from '@/components/format/short-text';
import { zoneName } from '@/components/format/zone';
import { columnLook } from '@/components/table/record-table';
import css from '@/components/table/record-table.module.css';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

const column = createColumnHelper<Attempt>();
const look = columnLook;
const { right, code, soft, faint, mid, low, opt } = css;

/** The columns of the list of attempts, in the order in which one reads an attempt. */
export const ATTEMPT_COLUMNS: ColumnDef<Attempt>[] = [
  column.display({
    id: 'at',
    header: () => `Time, ${zoneName()}`,
    cell: ({ row }) => <time dateTime={row.original.at}>{timeOfDay(Date.parse(row.original.at))}</time>,
    meta: look(),
  }),
  column.display({
    id: 'mark',
    header: 'Verdict',
    cell: ({ row }) => <VerdictBadge mark={row.original.mark} look="row" />,
    meta: look(),
  }),
  column.display({
    id: 'server',
    header: 'Server',
    cell: ({ row }) => <span title={row.original.server}>{row.original.server}</span>,
    meta: look(),
  }),
  column.display({
    id: 'session',
    header: 'Session',
    cell: ({ row }) => shortText(row.original.session_label ?? 'none', 11),
    meta: look(code, soft, mid),
  }),
  column.display({ id: 'cursor', header: 'Cursor', cell: ({ row }) => cursorCell(row.original), meta: look(right, code, mid) }),
  column.display({ id: 'floor', header: 'Floor', cell: ({ row }) => positionCell(row.original.floor), meta: look(right, code, soft, low) }),
  column.display({ id: 'head', header: 'Head', cell: ({ row }) => positionCell(row.original.head), meta: look(right, code, soft, low) }),
  column.display({
    id: 'gap',
    header: 'Gap',
    cell: ({ row }) => (
      <span className={css['gap']} style={row.original.mark === 'unsafe_resume' ? { color: markTextColour('unsafe_resume') } : undefined}>
        {gapCell(row.original)}
      </span>
    ),
    meta: look(right),
  }),
  column.display({
    id: 'rules',
    header: 'Rules say',
    cell: ({ row }) => (
      <span className={row.original.decision?.reason === 'ok' ? css['faint'] : undefined}>{reasonCell(row.original)}</span>
    ),
    meta: look(code, mid),
  }),
  column.display({
    id: 'did',
    header: 'Server did',
    cell: ({ row }) => <span className={hasWrongStatus(row.original) ? css['wrong'] : undefined}>{actCell(row.original)}</span>,
    meta: look(soft, mid),
  }),
  column.display({
    id: 'client',
    header: 'Client',
    cell: ({ row }) => row.original.client?.name ?? '',
    meta: look(faint, opt),
  }),
];
