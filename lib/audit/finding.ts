import type { JsonPosition } from '@/lib/base/position';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { JsonDecision } from '@/lib/wire/encode-decision';

/** Every code a finding can have, by group (contract section 5). Stable: tools key on them. */
export const FINDING_GROUPS = {
  loss: ['gap', 'lost_response', 'missignalled_caught_up', 'cursor_lost', 'ids_not_on_wire', 'stalled_delivery'],
  repetition: ['duplicate', 'cursor_not_honoured', 'possible_duplicate_execution'],
  'wrong history': [
    'cross_generation_replay',
    'cross_stream_replay',
    'cross_session_replay',
    'id_reused',
    'id_collision',
    'id_not_advancing',
    'ambiguous_cursor',
  ],
  refusal: ['over_refusal', 'wrong_status', 'disguised_refusal', 'unanswered_resume'],
  loops: ['reconnect_loop', 'stream_flap', 'stale_session_loop', 'orphaned_stream', 'zombie_holder'],
  session: [
    'session_adopted',
    'active_session_expired',
    'session_loss_ignored',
    'partial_session_loss',
    'abandoned_sessions',
    'route_not_found',
    'silent_client',
  ],
  'path and client': ['idle_cut', 'header_stripped', 'used_cleared_cursor', 'suppressed_live_events'],
} as const;

export type FindingGroup = keyof typeof FINDING_GROUPS;
export type FindingCode = (typeof FINDING_GROUPS)[FindingGroup][number];

/** Least first, so that the place in the list is the rank. */
export const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Whose fault the history proves: a server, a client, or the path between them. */
export const BLAMES = ['server', 'client', 'path'] as const;
export type Blame = (typeof BLAMES)[number];

/** What a loss or a repetition did to calls. */
export interface Consequence {
  readonly kind: 'orphaned_request' | 'stale_tool_list' | 'phantom_progress' | 'dangling_cancellation' | 'suspected_duplicate_execution';
  readonly message: string;
}

/** A fault that the history proves, with its proof. Positions and counts are exact at any size. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly blame: Blame;
  /** Events for loss and repetition, connections for loops, sessions for session codes. */
  readonly count: JsonPosition;
  /** False: `count` is "at least". */
  readonly exact: boolean;
  readonly server: string;
  readonly session: string | null;
  readonly stream: string | null;
  readonly conn: string | null;
  /** Place in the input of the record that proved it. */
  readonly index: number;
  /** First and last event id concerned. */
  readonly first: string | null;
  readonly last: string | null;
  readonly message: string;
  readonly next_step: string;
  /** Places of the records that prove it, in order, at most 16. */
  readonly records: readonly number[];
  readonly consequences: readonly Consequence[];
}

/** What the audit says of one resume attempt. */
export interface AuditedResume {
  readonly index: number;
  readonly conn: string | null;
  readonly session: string | null;
  /** Null when the facts leave more than one verdict open. */
  readonly decision: JsonDecision | null;
  readonly assessment: Assessment;
  /** Events that a bad replay left out, as far as what was written tells; null for every other assessment. */
  readonly left_out: JsonPosition | null;
  /** Facts that were neither reported nor in the history and could have changed the assessment. */
  readonly missing: readonly string[];
}

export interface AuditAnswer {
  readonly resumes: readonly AuditedResume[];
  readonly findings: readonly Finding[];
}
