import { createColumnHelper } from '@tanstack/react-table';
import type { Attempt } from '@/components/api/attempt';
import css from '@/components/attempts/attempts-table.module.css';
import { actCell, cursorCell, gapCell, hasWrongStatus, positionCell, reasonCell } from '@/components/attempts/columns';
import { timeOfDay } from '@/components/format/instant';
import { shortText } from '@/components/format/short-text';
import { cx } from '@/components/ui/cx';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

/** How a column is set: classes of its cells, `low` and `mid` for those that narrow screens leave out. */
interface ColumnLook {
  readonly className: string;
}

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData, TValue> extends ColumnLook {
    readonly data?: TData;
    readonly value?: TValue;
  }
}

const column = createColumnHelper<Attempt>();
const look = (...names: readonly (string | undefined)[]): ColumnLook => ({ className: cx(...names) });
const { right, code, soft, faint, mid, low, opt } = css;

/** The columns of the list of attempts, in the order in which one reads an attempt. */
export const ATTEMPT_COLUMNS = [
  column.accessor('at', {
    header: 'Time, UTC',
    cell: ({ row }) => <time dateTime={row.original.at}>{timeOfDay(Date.parse(row.original.at))}</time>,
    meta: look(),
  }),
  column.accessor('mark', {
    header: 'Verdict',
    cell: ({ row }) => <VerdictBadge mark={row.original.mark} look="row" />,
    meta: look(),
  }),
  column.accessor('server', { header: 'Server', cell: ({ getValue }) => <span title={getValue()}>{getValue()}</span>, meta: look() }),
  column.accessor('session_label', {
    header: 'Session',
    cell: ({ getValue }) => shortText(getValue() ?? 'none', 11),
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
