import { reportAttempt } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { holdStream } from '@/lib/proxy/hold-stream';
import { type JudgedCursor, judgeIn } from '@/lib/proxy/judge-cursor';
import type { Leg } from '@/lib/proxy/leg';
import { haveStalledGiveWay } from '@/lib/proxy/liveness';
import type { StreamHold } from '@/lib/proxy/log-store';
import { CODES, STREAM_BUSY, sendRefusal } from '@/lib/proxy/refusal';
import { followOtherReader, isAliveElsewhere, readerElsewhere } from '@/lib/proxy/resume-follow';
import { type AcceptedResume, resumeFromOwnLog } from '@/lib/proxy/resume-own';
import { resumeUpstream } from '@/lib/proxy/resume-upstream';
import type { LocatedCursor } from '@/lib/session-log/locate-cursor';

/** So often a resume is judged again because what it depends on had to be asked; beyond, its client is asked to come back. */
const ROUNDS_MAX = 5;

/** A cursor that was accepted, and the stream that was claimed for it. */
interface Claim {
  readonly call: Call;
  readonly key: string;
  readonly lastEventId: string;
  readonly stream: string;
  readonly hold: StreamHold | 'busy' | null;
}

/** Another process that reads the stream, and whether it is alive. */
interface AskedReader {
  readonly node: string;
  readonly isAlive: boolean;
}

type Step =
  | { readonly kind: 'answered' }
  | { readonly kind: 'busy'; readonly located: LocatedCursor }
  | { readonly kind: 'again' }
  | { readonly kind: 'ask'; readonly reader: string }
  | { readonly kind: 'upstream'; readonly outcome: Promise<JudgedCursor | null> }
  | { readonly kind: 'refused'; readonly judged: JudgedCursor };

/**
 * Serves a cursor that was accepted. Whatever has to be waited for, it is judged again afterwards, by the log as it stands then, and
 * acted on in that very tick: events come, are evicted, and generations begin at any time. Answers a refusal that is
 * still to be told; null when the call was answered.
 *
 * @throws StoreUnavailable
 */
export async function serveResume(call: Call, key: string, lastEventId: string, judged: JudgedCursor): Promise<JudgedCursor | null> {
  const { located } = judged;
  const stream = located.stream?.name ?? '';
  const leg = call.route.legOf(key, stream);
  // What a stalled client did not take is left to whoever it gives way to: else it went to nobody, and moved the floor.
  const goOn = leg?.isHeld === true ? leg.pause() : undefined;
  try {
    await haveStalledGiveWay(call, key, stream);
    if (leg?.client != null) goOn?.();
    const hold = await holdStream(call, { key, stream, requestId: located.pendingRequestId });
    const step = await takeSteps({ call, key, lastEventId, stream, hold });
    if (step.kind === 'answered') return null;
    if (step.kind === 'refused') return step.judged;
    if (step.kind === 'upstream') return step.outcome;
    return refuseBusy(call, step.kind === 'busy' ? step.located : located);
  } finally {
    goOn?.();
  }
}

/** Goes on until what the next step depends on is known and did not change while it was asked for. */
async function takeSteps(claim: Claim): Promise<Step> {
  const { call, key, stream } = claim;
  let asked: AskedReader | null = null;
  let step: Step = AGAIN;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    step = await act(claim, asked);
    if (step.kind === 'ask') asked = { node: step.reader, isAlive: await isAliveElsewhere(call, { key, stream }, step.reader) };
    else if (step.kind !== 'again') return step;
  }
  return step;
}

/**
 * Judges the cursor by the log as it stands, and acts on that in the same tick. The leg that reads the stream stands still meanwhile:
 * a busy one would have read more each time that it is looked at.
 */
async function act(claim: Claim, asked: AskedReader | null): Promise<Step> {
  const { call, key, lastEventId } = claim;
  const leg = call.route.legOf(key, claim.stream);
  const goOn = leg === null || leg.client !== null ? undefined : leg.pause();
  try {
    await leg?.settled();
    const found = call.ctx.sessions.judged(call, key);
    const log = found instanceof Promise ? await found : found;
    if (call.res.destroyed) return ANSWERED;
    const judged = judgeIn(call, log, lastEventId);
    const { located, decision } = judged;
    const { stream } = located;
    if (decision.verdict === 'refuse') return { kind: 'refused', judged };
    if (stream === null || stream.name !== claim.stream || log === null || call.token === null) return { kind: 'busy', located };
    if (isChanging(call, key, stream.name, leg)) return AGAIN;
    return take(claim, { key, token: call.token, lastEventId, log, located, stream, decision }, asked);
  } finally {
    goOn?.();
  }
}

/** Whether somebody else reads the stream by now, or more of it was read than is logged: the log may lack what its reader has. */
function isChanging({ route }: Call, key: string, stream: string, leg: Leg | null): boolean {
  const current = route.legOf(key, stream);
  return current !== null && current.client === null && (current !== leg || !current.isSettled);
}

function take({ call, hold }: Claim, accepted: AcceptedResume, asked: AskedReader | null): Step {
  const own = hold === 'busy' ? 'busy' : resumeFromOwnLog(call, accepted);
  if (own === 'busy' || hold === 'busy') return { kind: 'busy', located: accepted.located };
  if (own === 'served') return ANSWERED;
  const reader = readerElsewhere(call, accepted.stream);
  if (reader !== null && reader !== asked?.node) return { kind: 'ask', reader };
  if (reader !== null && asked?.isAlive === true && followOtherReader(call, accepted, reader, hold)) return ANSWERED;
  return { kind: 'upstream', outcome: resumeUpstream(call, accepted) };
}

const ANSWERED: Step = { kind: 'answered' };
const AGAIN: Step = { kind: 'again' };

function refuseBusy(call: Call, located: LocatedCursor): null {
  reportAttempt(call, located, { verdict: 'refused', reason: 'stream_busy', status: 409, code: CODES.streamBusy });
  sendRefusal(call.res, 409, STREAM_BUSY);
  return null;
}
