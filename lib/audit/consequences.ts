import type { Consequence } from '@/lib/audit/finding';
import { notesIn, type RpcNote, type StreamLog } from '@/lib/audit/model/stream-log';
import type { Call, SessionState } from '@/lib/audit/model/types';
import type { PositionRange } from '@/lib/base/ranges';

const TOLD_MAX = 16;

/** What the loss of these events did to calls and to what the client believes. */
export function consequencesOfLoss(log: StreamLog, ranges: readonly PositionRange[], session: SessionState): Consequence[] {
  const told: Consequence[] = [];
  for (const note of notesIn(log, ranges)) {
    if (told.length === TOLD_MAX) break;
    const consequence = ofLostNote(note, log, session);
    if (consequence !== null) told.push(consequence);
  }
  return told;
}

function ofLostNote(note: RpcNote, log: StreamLog, session: SessionState): Consequence | null {
  if (note.type === 'response' || note.type === 'error') {
    const call = session.calls.get(`${log.stream}\u0000${note.id}`);
    const what = call?.tool ? ` of ${call.tool}` : '';
    return { kind: 'orphaned_request', message: `Request ${note.id}${what} stays open: its ${note.type} was lost.` };
  }
  if (note.method?.endsWith('/list_changed')) {
    return { kind: 'stale_tool_list', message: `The client works with a stale list: ${note.method} was lost.` };
  }
  if (note.method === 'notifications/cancelled') {
    return { kind: 'dangling_cancellation', message: 'A cancellation was lost: the work it meant to stop is still awaited.' };
  }
  return null;
}

/** What it does to be written these events again, or events of an earlier numbering. */
export function consequencesOfRepetition(log: StreamLog, ranges: readonly PositionRange[], session: SessionState): Consequence[] {
  const told: Consequence[] = [];
  for (const note of notesIn(log, ranges)) {
    if (told.length === TOLD_MAX) break;
    if (note.progressToken !== null && !isAwaited(session, note.progressToken)) {
      told.push({ kind: 'phantom_progress', message: `Progress for token ${note.progressToken}, which no open request carries.` });
    } else if (note.method === 'notifications/cancelled') {
      told.push({
        kind: 'dangling_cancellation',
        message: 'A cancellation arrives again, for work that may since have been given the same id.',
      });
    }
  }
  return told;
}

function isAwaited(session: SessionState, token: string): boolean {
  for (const call of session.calls.values()) if (call.answer === null && call.rpcId === token) return true;
  return false;
}

/** A call that may have run twice. */
export function ofDuplicateCall(call: Call, tool: string): Consequence {
  return {
    kind: 'suspected_duplicate_execution',
    message: `${tool} may have run twice with the same arguments; the first answer was ready on stream ${call.stream}.`,
  };
}
