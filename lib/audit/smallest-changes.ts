import type { Finding, FindingCode } from '@/lib/audit/finding';
import { spanOf } from '@/lib/audit/loss';

const span = (finding: Finding): string => spanOf(finding.first, finding.last);
const conn = (finding: Finding): string => (finding.conn === null ? 'the connection' : `connection ${finding.conn}`);

/** For every code the smallest change of the history that would have made it legal, in the finding's own terms. */
export const SMALLEST_CHANGES: Readonly<Record<FindingCode, (finding: Finding) => string>> = {
  gap: (finding) =>
    `Had ${span(finding)} been written to ${conn(finding)} in their place, or the resume been refused with 409, nothing would be lost.`,
  lost_response: (finding) =>
    `Had the answer been written to ${conn(finding)}, or the call been settled with an error event, it would not hang.`,
  missignalled_caught_up: (finding) =>
    `Had the answer named the last position it really wrote instead of ${finding.last}, it would be true.`,
  cursor_lost: (finding) => `Had ${conn(finding)} presented the cursor, the server would owe ${span(finding)}.`,
  ids_not_on_wire: (finding) => `Had the frames of ${span(finding)} carried their ids, the client could resume after them.`,
  stalled_delivery: (finding) => `Had ${span(finding)} been written to ${conn(finding)} before it ended, nothing would be amiss.`,
  duplicate: (finding) => `Had ${span(finding)} been left out on ${conn(finding)}, each event would have come once.`,
  cursor_not_honoured: (finding) => `Had the replay on ${conn(finding)} begun after ${finding.last}, the cursor would have been honoured.`,
  possible_duplicate_execution: () => 'Had the client resumed the response stream instead of calling again, the call would have run once.',
  cross_generation_replay: () =>
    'Had the attempt been refused with 409, or the numbering gone on under its former generation, it would be legal.',
  cross_stream_replay: (finding) => `Had ${span(finding)} been left out on ${conn(finding)}, only its own stream would have been written.`,
  cross_session_replay: (finding) =>
    `Had ${span(finding)} been left out on ${conn(finding)}, no other session's events would have been written.`,
  id_reused: (finding) =>
    `Had numbering gone on above the highest id, or the generation changed, ${span(finding)} would name one event each.`,
  id_collision: (finding) => `Had each of the ${finding.count} events an id of its own, a cursor would name one of them.`,
  id_not_advancing: () => 'Had the id changed with each event, the cursor would move.',
  ambiguous_cursor: (finding) => `Had ${finding.first} been issued on one stream only, the cursor would name it.`,
  over_refusal: () => 'Had it been answered 200, it would be right: nothing was missing.',
  wrong_status: () => 'Had the refusal carried the status of its reason, it would be right.',
  disguised_refusal: () => 'Had the refusal carried its own status instead of 200, the client would know.',
  unanswered_resume: () => 'Had any status line come, the client could act on it.',
  reconnect_loop: () => 'Had the client waited, or started afresh after the refusal, it would be no loop.',
  stream_flap: () => 'Had one listener been left in place, none would have been thrown out.',
  stale_session_loop: () => 'Had an initialize without the token followed the first 404, the session would be healed.',
  orphaned_stream: (finding) => `Had ${conn(finding)} been closed with its session or at the takeover, nothing would be left over.`,
  zombie_holder: (finding) => `Had ${conn(finding)} been closed when it fell silent, the first newcomer would have been served.`,
  session_adopted: () => 'Had the call been answered 404, the client would have started a session of its own.',
  active_session_expired: () => 'Had the time to live been counted from the last use, the session would be alive.',
  session_loss_ignored: () => 'Had an initialize followed the 404, the call would not have failed.',
  partial_session_loss: () => 'Had the upstream been initialized again, or the joint session been ended, it would be whole or gone.',
  abandoned_sessions: () => 'Had clients ended half of them with DELETE, fewer would be left behind.',
  route_not_found: () => 'Had the URL led to the endpoint, it would have answered.',
  silent_client: () => 'Had the client started anew or reported the error within 5 minutes, it would not be silent.',
  idle_cut: () => 'Had a keep-alive been written before the time-out, the stream would have lived on.',
  header_stripped: () => 'Had one of these sessions presented its cursor, the header would be known to pass.',
  used_cleared_cursor: (finding) => `Had the client come back without ${finding.first}, it would have followed the empty id.`,
  suppressed_live_events: (finding) => `Had the client applied ${span(finding)}, it would have lost nothing.`,
};
