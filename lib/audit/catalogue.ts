import type { Blame, FindingCode, Severity } from '@/lib/audit/finding';

export interface FindingPage {
  readonly severity: Severity;
  /** Whom the fault is laid at unless the history says otherwise. */
  readonly blame: Blame;
  readonly title: string;
  /** The rule that was broken, as it should hold. */
  readonly clause: string;
  readonly nextStep: string;
}

/** Every finding the audit can make. Each has a rule of its own and a page `docs/findings/<code>.md`. */
export const FINDINGS: Readonly<Record<FindingCode, FindingPage>> = {
  gap: {
    severity: 'critical',
    blame: 'server',
    title: 'Events were passed over in silence',
    clause: 'every message after the cursor is written, in order, or the resume is refused',
    nextStep: 'Refuse a cursor whose successor is no longer retained, and hand over from replay to live without a pause in between.',
  },
  lost_response: {
    severity: 'critical',
    blame: 'server',
    title: 'The answer to a call was lost',
    clause: 'the answer to a request is written on the stream that owes it, or the resume is refused',
    nextStep: 'Keep a finished stream until its answer was written, and refuse a cursor that can no longer reach it.',
  },
  missignalled_caught_up: {
    severity: 'critical',
    blame: 'server',
    title: 'The answer claims a position it never wrote up to',
    clause: 'what an answer claims to be caught up to was written',
    nextStep: 'Name the last position that was really written; refuse when it is not the newest.',
  },
  cursor_lost: {
    severity: 'error',
    blame: 'client',
    title: 'A client came back without the cursor it had',
    clause: 'a client that was given an id presents it when it reconnects',
    nextStep: 'Keep the last event id across reconnects, and let the path pass Last-Event-ID.',
  },
  ids_not_on_wire: {
    severity: 'error',
    blame: 'server',
    title: 'Stored events went over the wire without their ids',
    clause: 'an event that is stored under an id carries it on the wire',
    nextStep: 'Write the id line of every stored event.',
  },
  stalled_delivery: {
    severity: 'error',
    blame: 'server',
    title: 'An attached connection was never written what was stored for it',
    clause: 'an event appended while a connection is attached is written to it',
    nextStep: 'Wake the writer of the stream when an event is appended.',
  },
  duplicate: {
    severity: 'warning',
    blame: 'server',
    title: 'Events were sent again to a client that had them',
    clause: 'a replay starts after the cursor and holds each event once',
    nextStep: 'Start the replay at the event after the cursor, by the order of storing.',
  },
  cursor_not_honoured: {
    severity: 'error',
    blame: 'server',
    title: 'The cursor was ignored and the history sent from its start',
    clause: 'a replay starts after the cursor, not at the floor',
    nextStep: 'Read Last-Event-ID and replay from the event after it.',
  },
  possible_duplicate_execution: {
    severity: 'error',
    blame: 'client',
    title: 'A call was sent again while its answer could be replayed',
    clause: 'a call that is not idempotent is not repeated while its answer can be resumed',
    nextStep: 'Resume the response stream before calling again; treat the outcome as unknown until then.',
  },
  cross_generation_replay: {
    severity: 'critical',
    blame: 'server',
    title: 'A cursor of an earlier numbering was served',
    clause: 'a cursor is served only in the generation that issued it',
    nextStep: 'Carry the generation in the event id and refuse any other than the live one.',
  },
  cross_stream_replay: {
    severity: 'critical',
    blame: 'server',
    title: 'Events of another stream were written',
    clause: "a replay holds only events of the cursor's own stream",
    nextStep: 'Replay only events of the stream that owns the cursor.',
  },
  cross_session_replay: {
    severity: 'critical',
    blame: 'server',
    title: 'Events of another session were written',
    clause: "a replay holds only events of the session's own streams",
    nextStep: 'Key the event store by session and stream, and refuse a foreign cursor like an unknown one.',
  },
  id_reused: {
    severity: 'error',
    blame: 'server',
    title: 'Event ids were issued again after numbering restarted',
    clause: 'under one generation an id is issued once',
    nextStep: 'Seed the counter above the highest stored id, or change the generation.',
  },
  id_collision: {
    severity: 'error',
    blame: 'server',
    title: 'Different events share one id',
    clause: 'an id names one event',
    nextStep: 'Give every event an id of its own.',
  },
  id_not_advancing: {
    severity: 'error',
    blame: 'server',
    title: 'The event id never changes',
    clause: 'the id changes with every event',
    nextStep: 'Advance the id with every event.',
  },
  ambiguous_cursor: {
    severity: 'error',
    blame: 'server',
    title: 'A cursor names events of several streams',
    clause: 'an id names one stream of its session',
    nextStep: 'Make ids unique across the streams of a session.',
  },
  over_refusal: {
    severity: 'error',
    blame: 'server',
    title: 'A refusal without need',
    clause: 'what is retained whole, and a session that lives, is served',
    nextStep: 'Refuse only when something after the cursor is missing; share session state between replicas.',
  },
  wrong_status: {
    severity: 'warning',
    blame: 'server',
    title: 'A right refusal with the wrong status',
    clause: 'a refusal carries the status that tells the client what to do',
    nextStep: 'Answer 404 for a session that is gone and 409 for a cursor that cannot be resumed.',
  },
  disguised_refusal: {
    severity: 'error',
    blame: 'server',
    title: 'A refusal served as success',
    clause: 'a refusal is not served as 200',
    nextStep: "Answer with the refusal's own status instead of an empty 200.",
  },
  unanswered_resume: {
    severity: 'error',
    blame: 'path',
    title: 'A resume never got a status line',
    clause: 'every resume gets a status line',
    nextStep: 'Answer every resume, with 405 or 409 where replay is not offered; check time-outs on the path.',
  },
  reconnect_loop: {
    severity: 'warning',
    blame: 'client',
    title: 'Reconnects that make no progress',
    clause: 'a reconnect follows progress or backs off',
    nextStep: 'Back off while the cursor does not move, and start afresh after a refusal.',
  },
  stream_flap: {
    severity: 'warning',
    blame: 'client',
    title: 'Listeners of one session throw each other out',
    clause: 'listeners of one stream do not replace each other without end',
    nextStep: 'Keep one listener per session, or let both live.',
  },
  stale_session_loop: {
    severity: 'error',
    blame: 'client',
    title: 'A client goes on with a token that was answered 404',
    clause: 'a 404 is followed by an initialize without the token',
    nextStep: 'Drop token and cursor on 404 and send one initialize without them.',
  },
  orphaned_stream: {
    severity: 'warning',
    blame: 'server',
    title: 'A stream was left open that no one uses',
    clause: 'a stream ends with its session or when it is replaced',
    nextStep: 'Close a stream when its session ends or its client opened another.',
  },
  zombie_holder: {
    severity: 'warning',
    blame: 'server',
    title: "A dead listener kept its stream's place",
    clause: 'a stream is held only by a connection that is alive',
    nextStep: 'Detect dead connections by writing keep-alives, or let the newcomer take over.',
  },
  session_adopted: {
    severity: 'error',
    blame: 'server',
    title: 'A token that names no session was accepted',
    clause: 'only a session that exists is served',
    nextStep: 'Answer 404 to a token that this server did not issue or no longer holds.',
  },
  active_session_expired: {
    severity: 'error',
    blame: 'server',
    title: 'A session expired while it was in use',
    clause: 'a session expires only after its time to live without use',
    nextStep: 'Slide the time to live with every use.',
  },
  session_loss_ignored: {
    severity: 'warning',
    blame: 'client',
    title: 'A client took a lost session for a missing feature',
    clause: 'a 404 under a token ends the session',
    nextStep: 'Read a 404 under a token as the end of the session, also on GET.',
  },
  partial_session_loss: {
    severity: 'error',
    blame: 'server',
    title: 'One upstream behind a joint session lost its part',
    clause: 'a joint session is whole or gone',
    nextStep: 'Initialize the upstream again, or answer 404 to the joint session.',
  },
  abandoned_sessions: {
    severity: 'info',
    blame: 'client',
    title: 'Most sessions are never ended',
    clause: 'a session is ended when it is no longer used',
    nextStep: 'End sessions with DELETE, and expire the ones that are not used.',
  },
  route_not_found: {
    severity: 'error',
    blame: 'path',
    title: 'The route itself is missing',
    clause: 'the endpoint answers initialize',
    nextStep: "Check the URL and the gateway's routes.",
  },
  silent_client: {
    severity: 'info',
    blame: 'client',
    title: 'A client that was told fell silent',
    clause: 'a refusal is followed by a new start or a report',
    nextStep: 'Start a new session after a refusal, or report the error.',
  },
  idle_cut: {
    severity: 'warning',
    blame: 'path',
    title: 'Silent streams are cut after the same time',
    clause: 'a silent stream lives as long as its ends want',
    nextStep: 'Send a keep-alive at a shorter interval than the cut, or raise the time-out on the path.',
  },
  header_stripped: {
    severity: 'error',
    blame: 'path',
    title: 'One kind of client never gets its cursor through',
    clause: 'Last-Event-ID arrives as it was sent',
    nextStep: 'Allow Last-Event-ID in CORS and proxies for that kind of client.',
  },
  used_cleared_cursor: {
    severity: 'warning',
    blame: 'client',
    title: 'A cleared cursor was presented',
    clause: 'an empty id clears the cursor',
    nextStep: 'Forget the cursor when an empty id arrives.',
  },
  suppressed_live_events: {
    severity: 'error',
    blame: 'client',
    title: 'Live events were thrown away',
    clause: 'an event that arrives for the first time is applied',
    nextStep: 'Take events in the order they arrive; compare ids for equality only.',
  },
};

/** Path of a finding's page in the documentation. */
export const pageOf = (code: FindingCode): string => `docs/findings/${code}.md`;
