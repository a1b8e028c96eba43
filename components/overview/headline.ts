import { countOf, formatCount, formatShare } from '@/components/format/count';
import { spanWords } from '@/components/format/instant';
import type { Mark } from '@/lib/resume/mark';
import type { Series, Summary } from '@/lib/wire/responses';

export interface Headline {
  readonly id: 'unsafe_resume' | 'resume_unavailable' | 'over_refusal' | 'unverifiable';
  readonly name: string;
  readonly isCode: boolean;
  readonly mark: Mark;
  readonly value: number;
  readonly unit: string;
  readonly detail: string;
  readonly before: string;
  readonly trend: readonly number[];
  readonly trendLabel: string;
}

const SPARK_POINTS = 60;

/** The four numbers at the head of the overview, each with its share, what it was before and its course. */
export function headlines(summary: Summary, byMark: Series | undefined): Headline[] {
  const { totals, previous } = summary;
  const { marks } = totals;
  const length = spanWords(Date.parse(previous.to) - Date.parse(previous.from));
  const before = (count: number) => `${formatCount(count)} in the ${length} before`;
  const resumes = marks.unsafe_resume + marks.bad_replay + marks.resumed;
  const refusals = marks.refused + marks.over_refusal;
  const course = (mark: Mark) => trend(byMark, (point) => point.counts[mark] ?? 0);
  return [
    {
      id: 'unsafe_resume',
      name: 'Unsafe resumes',
      isCode: false,
      mark: 'unsafe_resume',
      value: marks.unsafe_resume,
      unit: `in ${countOf(totals.unsafe_sessions, 'session')}`,
      detail: shareWords(marks.unsafe_resume, resumes, 'resumes'),
      before: before(previous.marks.unsafe_resume),
      trend: course('unsafe_resume'),
      trendLabel: 'Unsafe resumes over the range',
    },
    {
      id: 'resume_unavailable',
      name: 'resume_unavailable',
      isCode: true,
      mark: 'refused',
      value: totals.resume_unavailable,
      unit: totals.resume_unavailable === 1 ? 'refusal' : 'refusals',
      detail: `${countOf(refusals, 'refusal')} of any kind`,
      before: before(previous.resume_unavailable),
      trend: trend(byMark, (point) => point.resume_unavailable),
      trendLabel: 'Refusals of a live session’s cursor over the range',
    },
    {
      id: 'over_refusal',
      name: 'Over-refusals',
      isCode: false,
      mark: 'over_refusal',
      value: marks.over_refusal,
      unit: marks.over_refusal === 1 ? 'refusal' : 'refusals',
      detail: shareWords(marks.over_refusal, refusals, 'refusals'),
      before: before(previous.marks.over_refusal),
      trend: course('over_refusal'),
      trendLabel: 'Over-refusals over the range',
    },
    {
      id: 'unverifiable',
      name: 'Unverifiable',
      isCode: false,
      mark: 'unverifiable',
      value: marks.unverifiable,
      unit: marks.unverifiable === 1 ? 'attempt' : 'attempts',
      detail: shareWords(marks.unverifiable, totals.attempts, 'attempts'),
      before: before(previous.marks.unverifiable),
      trend: course('unverifiable'),
      trendLabel: 'Unverifiable attempts over the range',
    },
  ];
}

function shareWords(part: number, whole: number, of: string): string {
  const share = formatShare(part, whole);
  return share === null ? `no ${of}` : `${share} of ${of}`;
}

type Point = Series['points'][number];

/** The course of a count in at most 60 points; neighbours are added, so that no spike is lost. */
function trend(series: Series | undefined, countOfPoint: (point: Point) => number): number[] {
  const points = series?.points ?? [];
  const perPoint = Math.max(1, Math.ceil(points.length / SPARK_POINTS));
  const values: number[] = [];
  points.forEach((point, index) => {
    const slot = Math.floor(index / perPoint);
    values[slot] = (values[slot] ?? 0) + countOfPoint(point);
  });
  return values;
}

/** The instants at which the points of `trend` begin; epoch milliseconds. */
export function trendInstants(series: Series | undefined): number[] {
  const points = series?.points ?? [];
  const perPoint = Math.max(1, Math.ceil(points.length / SPARK_POINTS));
  return points.filter((_, index) => index % perPoint === 0).map((point) => Date.parse(point.at));
}
