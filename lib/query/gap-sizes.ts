import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import { type BucketCount, queryHistogram } from '@/lib/query/histogram';
import { bucketOfOctave } from '@/lib/rollup/buckets';
import type { Summary } from '@/lib/wire/responses';

/** Doublings that the charts tell apart: 1, 2…3, 4…7 and so on; the last is open. */
const OCTAVES = 14;

/** How large the countable gaps were, by what became of the attempt: resumed unsafely, replayed badly, or refused. */
export async function queryGapSizes(sql: Sql, filter: PeriodFilter): Promise<Summary['gap_sizes']> {
  const counts = await queryHistogram(sql, filter, 'gap');
  return octaves((from, to, inside) => {
    const own = inside(counts);
    const marked = (code: number) => sum(own.filter(({ mark }) => mark === code));
    return {
      from,
      to,
      unsafe: marked(MARK_CODES.unsafe_resume),
      bad_replay: marked(MARK_CODES.bad_replay),
      refused: marked(MARK_CODES.refused),
    };
  });
}

/**
 * How far from the floor cursors were when their clients came back: 0 is the lowest that was still served whole, the
 * next event to go takes it. Those below it are told by themselves.
 */
export async function queryLeads(sql: Sql, filter: PeriodFilter): Promise<Summary['leads']> {
  const counts = await queryHistogram(sql, filter, 'lead');
  return {
    below: sum(counts.filter(({ bucket }) => bucket < 0)),
    sizes: [
      { from: 0, to: 0, attempts: sum(counts.filter(({ bucket }) => bucket === 0)) },
      ...octaves((from, to, inside) => ({ from, to, attempts: sum(inside(counts)) })),
    ],
  };
}

type Inside = (counts: readonly BucketCount[]) => BucketCount[];

function octaves<T>(of: (from: number, to: number | null, inside: Inside) => T): T[] {
  return Array.from({ length: OCTAVES }, (_, octave) => {
    const isLast = octave === OCTAVES - 1;
    const [low, high] = [bucketOfOctave(octave), isLast ? Number.POSITIVE_INFINITY : bucketOfOctave(octave + 1)];
    return of(2 ** octave, isLast ? null : 2 ** (octave + 1) - 1, (counts) =>
      counts.filter(({ bucket }) => bucket >= low && bucket < high),
    );
  });
}

function sum(counts: readonly BucketCount[]): number {
  return counts.reduce((total, { count }) => total + Number(count), 0);
}
