import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { PlotData } from '@/components/plot/plot-data';
import { DataTable } from '@/components/ui/data-table';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';

/** The attempts that a plot shows, as a table. */
export function PlotTwin({ data }: { readonly data: PlotData }) {
  const range = (one: { first: bigint; last: bigint }) => `${one.first} to ${one.last}`;
  return (
    <DataTable
      label="Attempts in the picture"
      heads={[data.axis === 'time' ? `Time, ${zoneName()}` : 'Record', 'verdict', 'cursor', 'missing', 'replayed', 'connection']}
      rows={data.attempts.map((attempt) => ({
        key: attempt.key,
        cells: [
          data.axis === 'time' ? timeOfDay(attempt.x) : String(attempt.x + 1),
          MARK_STYLE[attempt.mark].word,
          attempt.cursor === null ? 'none' : String(attempt.cursor),
          attempt.gapCount === null ? 'nothing countable' : `${attempt.gapCount}: ${attempt.gaps.slice(0, 3).map(range).join(', ')}`,
          attempt.replay === null ? 'nothing' : range(attempt.replay),
          attempt.conn ?? 'not reported',
        ],
      }))}
      empty="No resume attempt is in the picture."
    />
  );
}
