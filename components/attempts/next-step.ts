import type { Attempt } from '@/components/api/attempt';
import { cursorText } from '@/components/attempts/attempt-sentence';

/** What the operator or the author of the server should do about an attempt, in one or two sentences. */
export function nextStep(attempt: Attempt): string {
  switch (attempt.mark) {
    case 'unsafe_resume':
      return unsafeStep(attempt);
    case 'bad_replay':
      return 'Compare what the event store returns with the positions after the cursor. Replay each of them once, in order, then go live.';
    case 'over_refusal':
      return `Let the server resume: everything after ${cursorText(attempt) ?? 'the cursor'} was still retained. Check its floor rule and its reading of the cursor.`;
    case 'refused':
      return refusedStep(attempt);
    case 'resumed':
      return 'Nothing to do.';
    case 'fresh':
      return 'Nothing to do. A client that should have resumed keeps the last event id and sends it as Last-Event-ID.';
    case 'unverifiable':
      return `Report ${attempt.missing.length === 0 ? 'the floor, the head and the generation' : attempt.missing.join(', ')} with each attempt; the instrumentation of the SDK does.`;
  }
}

function unsafeStep(attempt: Attempt): string {
  const status = attempt.decision?.status ?? 409;
  const how = `Refuse with ${status} and tell the client to re-initialize the session.`;
  switch (attempt.decision?.reason) {
    case 'generation_mismatch':
    case 'generation_unknown':
      return `${how} Bind event ids to the generation, so that a rebuilt session never accepts the ids of the former one.`;
    case 'below_floor':
    case 'hole':
      return `${how} Then keep more events than clients miss while they are away.`;
    case 'ahead_of_head':
      return `${how} Never clamp a cursor to the head: the number was issued in another numbering.`;
    default:
      return how;
  }
}

function refusedStep(attempt: Attempt): string {
  if (attempt.assessment === 'wrong_status')
    return `Answer ${attempt.decision?.status ?? 409} instead of ${attempt.status ?? 'nothing'}, so that the client re-initializes.`;
  const step = attempt.decision?.next_step;
  if (step === 'drop_cursor') return 'The client drops the cursor and reconnects live; it must re-read what it cannot miss.';
  return step === null || step === undefined ? 'Nothing to do on the server.' : 'Re-initialize the session. The server did what it should.';
}
