import type { Step } from '@/components/api/timeline';
import type { KnownMark, PlotAttempt } from '@/components/plot/plot-data';
import { parsePosition } from '@/lib/base/position';
import { countPositions, type PositionRange } from '@/lib/base/ranges';
import { judgeAttempt } from '@/lib/resume/judge';
import { markOf } from '@/lib/resume/mark';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import { idsCarryPositions } from '@/lib/wire/id-position';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';
import type { TimelineState } from '@/lib/wire/timeline-responses';

/** How a resume attempt of a timeline is drawn: its place, its verdict, what was missing and what was replayed. */
export function attemptPicture(step: Step, record: ResumeAttemptRecord, x: number, marks: ReadonlyMap<string, KnownMark>): PlotAttempt {
  const facts = attemptFacts(record);
  const id = record.id ?? `step-${step.index}`;
  const known = marks.get(id);
  const judged = judgeAttempt(facts, serverAct(record));
  const decision = known?.ruled ?? judged.decision;
  const gaps = decision?.gap?.ranges ?? [];
  const shown = record.conn === undefined ? undefined : step.state.cursors[record.conn];
  const cursor = parsePosition(shown) ?? facts.cursor ?? null;
  return {
    key: id,
    x,
    conn: record.conn ?? null,
    cursor,
    mark: known?.mark ?? markOf(judged.assessment, judged.decision?.verdict ?? null),
    gaps,
    gapCount: gaps.length === 0 ? null : countPositions(gaps),
    replay: record.verdict === 'resumed' ? replayedRange(record, step.state, cursor) : null,
  };
}

/** Positions that the answer claims to have replayed; where its ids are no positions, its count up to the head. */
function replayedRange(record: ResumeAttemptRecord, state: TimelineState, cursor: bigint | null): PositionRange | null {
  const head = parsePosition(state.head);
  const replayed = record.replayed ?? null;
  if (replayed === null) return head === null || cursor === null || cursor >= head ? null : { first: cursor + 1n, last: head };
  if (replayed.count === 0) return null;
  const areIdsPositions = idsCarryPositions(record);
  const last = (areIdsPositions ? parsePosition(replayed.last) : null) ?? head;
  if (last === null) return null;
  const told = areIdsPositions ? parsePosition(replayed.first) : null;
  const first = told ?? last - BigInt(replayed.count) + 1n;
  return first >= 0n && first <= last ? { first, last } : null;
}
