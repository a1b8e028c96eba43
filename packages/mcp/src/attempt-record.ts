import { jsonPosition } from './position.js';
import type { ResumeAttemptRecord } from './telemetry/record.js';
import type { CursorFacts } from './verdict/cursor-facts.js';
import type { PositionRange } from './verdict/facts.js';

/** What a store did with a resume. */
export interface ReplayReport {
  /** Facts at the time of the replay. */
  readonly facts: CursorFacts;
  readonly outcome: 'replayed' | 'not_found' | 'failed';
  readonly count: number;
  readonly first: string | null;
  readonly last: string | null;
}

type FactMembers = Pick<
  ResumeAttemptRecord,
  'cursor' | 'generation' | 'requested_generation' | 'session_state' | 'floor' | 'head' | 'holes' | 'reused'
>;

/** The facts of an attempt as record members; what cannot be told is left out. */
export function factMembers(facts: CursorFacts): FactMembers {
  const { cursor, floor, head, generation, requestedGeneration, sessionState } = facts;
  return {
    ...(sessionState === undefined ? {} : { session_state: sessionState }),
    ...(generation === undefined ? {} : { generation }),
    ...(requestedGeneration === undefined ? {} : { requested_generation: requestedGeneration }),
    ...(cursor === undefined ? {} : { cursor: cursor === null ? null : jsonPosition(cursor) }),
    ...(floor === undefined ? {} : { floor: jsonPosition(floor) }),
    ...(head === undefined ? {} : { head: jsonPosition(head) }),
    ...(facts.holes.length === 0 ? {} : { holes: facts.holes.map(pair) }),
    ...(facts.reused.length === 0 ? {} : { reused: facts.reused.map(pair) }),
  };
}

/** What the answer claims to be caught up to; null when no store was asked. */
export function replayedMember(report: ReplayReport | null): Pick<ResumeAttemptRecord, 'replayed'> {
  if (report === null || report.outcome !== 'replayed') return {};
  return { replayed: { count: report.count, first: report.first, last: report.last } };
}

const pair = ({ first, last }: PositionRange) => [jsonPosition(first), jsonPosition(last)] as const;
