import { reportAttempt } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { holdStream } from '@/lib/proxy/hold-stream';
import { type JudgedCursor, judgeIn } from '@/lib/proxy/judge-cursor';
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
  await haveStalledGiveWay(call, key, stream);
  const hold = await holdStream(call, { key, stream, requestId: located.pendingRequestId });
  const claim: Claim = { call, key, lastEventId, stream, hold };
  let asked: AskedReader | null = null;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const step: Step = await act(claim, asked);
    if (step.kind === 'ask') asked = { node: step.reader, isAlive: await isAliveElsewhere(call, { key, stream }, step.reader) };
    else if (step.kind === 'busy') return refuseBusy(call, step.located);
    else if (step.kind === 'refused') return step.judged;
    else return step.kind === 'answered' ? null : step.outcome;
  }
  return refuseBusy(call, located);
}

/** Judges the cursor by the log as it stands, and acts on that in the same tick. */
async function act(claim: Claim, asked: AskedReader | null): Promise<Step> {
  const { call, key, lastEventId } = claim;
  await call.route.legOf(key, claim.stream)?.settled();
  const found = call.ctx.sessions.judged(call, key);
  const log = found instanceof Promise ? await found : found;
  if (call.res.destroyed) return ANSWERED;
  const judged = judgeIn(call, log, lastEventId);
  const { located, decision } = judged;
  const { stream } = located;
  if (decision.verdict === 'refuse') return { kind: 'refused', judged };
  if (stream === null || stream.name !== claim.stream || log === null || call.token === null) return { kind: 'busy', located };
  return take(claim, { key, token: call.token, lastEventId, log, located, stream, decision }, asked);
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

function refuseBusy(call: Call, located: LocatedCursor): null {
  reportAttempt(call, located, { verdict: 'refused', reason: 'stream_busy', status: 409, code: CODES.streamBusy });
  sendRefusal(call.res, 409, STREAM_BUSY);
  return null;
}
