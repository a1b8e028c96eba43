import type { IncomingMessage, ServerResponse } from 'node:http';
import { askReplay, BUSY_RETRY_MS, type ReplayAnswer } from '@/lib/proxy/ask-replay';
import { reportAttempt } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { probeSession } from '@/lib/proxy/dead-session';
import { goneUpstream } from '@/lib/proxy/handle-post';
import { isHeaderText } from '@/lib/proxy/headers';
import { type JudgedCursor, judgeIn } from '@/lib/proxy/judge-cursor';
import type { Leg } from '@/lib/proxy/leg';
import { changeLater, openLeg } from '@/lib/proxy/open-leg';
import { CODES, SESSION_GONE, sendRefusal } from '@/lib/proxy/refusal';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { type AcceptedResume, cursorOf, reportServed, resumeHeaders } from '@/lib/proxy/resume-own';
import { failCall } from '@/lib/proxy/upstream-request';
import { decide } from '@/lib/resume/decide';
import { ReplayCheck, type ReplayFault } from '@/lib/session-log/replay-check';
import type { SessionLog } from '@/lib/session-log/session-log';
import type { LoggedEvent } from '@/lib/session-log/stream-log';

/**
 * Takes an accepted cursor upstream and checks the replay event by event. Answers a refusal when the upstream
 * cannot do what the rules allow; null when the call was answered.
 *
 * Where the proxy retains frames, it replays what it has and asks the upstream only for what follows its head.
 */
export async function resumeUpstream(call: Call, accepted: AcceptedResume): Promise<JudgedCursor | null> {
  const { key, stream } = accepted;
  const own = call.route.route.replay === 'proxy' ? stream.after(cursorOf(accepted)) : [];
  const from = own.at(-1) ?? null;
  const askedId = from === null ? accepted.lastEventId : from.id;
  const asked = from ?? stream.at(cursorOf(accepted));
  if (askedId === null || !isHeaderText(askedId) || asked?.isOwnId === true || own.some((event) => event.frame === null))
    return unavailable(call, accepted);
  const standing = call.route.legOf(key, stream.name);
  const isOurs = standing !== null && standing.client === null;
  if (isOurs) standing.destroy();
  const mayBeBusy = isOurs || stream.reader !== null;
  const answer = await askReplay(call, accepted, askedId, mayBeBusy ? BUSY_RETRY_MS : []);
  return answer === null ? null : takeAnswer(call, accepted, askedId, answer);
}

/** Locates the cursor, and the event that was asked from, in the log as it stands now, and holds the answer against that. */
function takeAnswer(
  call: Call,
  before: AcceptedResume,
  askedId: string,
  { response, log }: ReplayAnswer,
): JudgedCursor | null | Promise<JudgedCursor | null> {
  const judged = judgeIn(call, log, before.lastEventId);
  const { located, decision } = judged;
  const isRebuilt = log === null || log.state !== 'live' || located.session.generation !== before.located.session.generation;
  const isReplay = response.statusCode === 200 && isEventStream(response);
  if (isRebuilt || (isReplay && decision.verdict === 'refuse')) {
    response.destroy();
    return judged;
  }
  const { stream } = located;
  if (decision.verdict === 'refuse' || stream === null) return refusedUpstream(call, before, response);
  const accepted: AcceptedResume = { ...before, log, located, stream, decision };
  if (!isReplay) return refusedUpstream(call, accepted, response);
  const asked = log.owner(askedId);
  const own = asked?.stream === stream ? stream.after(cursorOf(accepted)).filter(({ position }) => position <= asked.position) : null;
  if (own?.every(({ frame }) => frame !== null) === true) return relayChecked(call, accepted, response, own);
  response.destroy();
  return unavailable(call, accepted);
}

/**
 * Relays a replay that is checked as it flows. What is owed has to come first, so the response head waits for it: a
 * replay that is faulty from its start is refused in words, since a stream that ends at once makes clients drop their
 * cursor. Settles with that refusal, or with null as soon as the client is served.
 */
function relayChecked(
  call: Call,
  accepted: AcceptedResume,
  response: IncomingMessage,
  own: readonly LoggedEvent[],
): Promise<JudgedCursor | null> {
  const cursor = own.at(-1)?.position ?? cursorOf(accepted);
  const expected = accepted.stream.after(cursorOf(accepted));
  const sendHead = () => {
    relayHead(response, call.res, resumeHeaders(accepted));
    call.res.flushHeaders();
  };
  return new Promise((resolve) => {
    const onReplayed: ReplayOutcome = (fault, owed) => {
      if (fault === null && owed === 0) reportServed(call, accepted, expected);
      else if (call.res.headersSent) reportFaulty(call, accepted, fault ?? 'missing', owed);
      resolve(null);
    };
    const onUnserved = (fault: ReplayFault) => resolve(faulty(accepted, fault, expected.length));
    const leg = openChecked(call, accepted, response, cursor, { onReplayed, onUnserved });
    const isOwed = own.length === 0 && expected.length > 0;
    if (!isOwed) {
      sendHead();
      resolve(null);
    }
    leg.attach(call.res, call.conn, own, isOwed ? sendHead : null);
    leg.settleReplay();
  });
}

/** The cursor judged again, now that the server's replay showed what it has: nothing whole of the last `owed` events. */
function faulty({ log, located }: AcceptedResume, fault: ReplayFault, owed: number): JudgedCursor {
  const { head } = located.log;
  const cursor = located.request.cursor ?? 0n;
  const shown =
    fault === 'missing' || fault === 'foreign'
      ? { ...located.log, holes: [{ first: head - BigInt(owed) + 1n, last: head }] }
      : { ...located.log, reused: [{ first: cursor, last: cursor }] };
  return { log, located: { ...located, log: shown }, decision: decide({ floor: 'successor' }, located.session, shown, located.request) };
}

function reportFaulty(call: Call, accepted: AcceptedResume, fault: ReplayFault, owed: number): void {
  const { located } = faulty(accepted, fault, owed);
  reportAttempt(call, located, { verdict: 'refused', reason: fault, status: 200, code: CODES.unavailable });
}

type ReplayOutcome = (fault: ReplayFault | null, owed: number) => void;

interface CheckedOutcome {
  readonly onReplayed?: ReplayOutcome;
  readonly onUnserved?: (fault: ReplayFault) => void;
}

/** Reads a resumed connection that must first send what is owed after `cursor`, and watches that it does. */
function openChecked(
  call: Call,
  accepted: AcceptedResume,
  response: IncomingMessage,
  cursor: number,
  { onReplayed, onUnserved }: CheckedOutcome,
): Leg {
  const { key, token, stream, log } = accepted;
  const check = new ReplayCheck(log, stream, cursor, () => call.ctx.store.peek(key));
  const names = { key, stream: stream.name, requestId: stream.pendingRequestId ?? stream.requestId };
  const leg: Leg = openLeg(call, {
    names,
    token,
    upstream: response,
    check,
    onReplayed: (_leg, fault) => onReplayed?.(fault, check.owed),
    ...(onUnserved === undefined ? {} : { onUnserved }),
  });
  watchOwed(call, leg, check);
  if (stream.isPending) watchSilence(call, accepted, leg);
  return leg;
}

/** Owed events that do not come are a refusal in disguise: the stream is ended with the error. */
function watchOwed(call: Call, leg: Leg, check: ReplayCheck): void {
  let before = -1;
  const watchdog = setInterval(() => {
    if (!leg.isOpen || check.owed === 0) clearInterval(watchdog);
    else if (check.replayed === before && call.res.writableLength === 0) leg.fail('missing');
    before = check.replayed;
  }, call.ctx.timeouts.replaySilenceMs);
  watchdog.unref();
}

/**
 * A call still waits and nothing comes: the server may have attached the live tail to nobody. Asking again from
 * the head finds what it stored meanwhile, and costs a correct server nothing.
 */
function watchSilence(call: Call, accepted: AcceptedResume, leg: Leg): void {
  let before = 0;
  const watchdog = setInterval(() => {
    if (!leg.isOpen || leg.client === null || leg.isAnswered) {
      clearInterval(watchdog);
    } else if (leg.eventCount === before && leg.check?.owed === 0) {
      clearInterval(watchdog);
      resumeAgain(call, accepted, leg).catch((error: unknown) => failCall(call, error instanceof Error ? error : new Error(String(error))));
    }
    before = leg.eventCount;
  }, call.ctx.timeouts.resumeAgainMs);
  watchdog.unref();
}

async function resumeAgain(call: Call, accepted: AcceptedResume, silent: Leg): Promise<void> {
  const goOn = silent.pause();
  try {
    await silent.settled();
    const head = headOf(await call.ctx.store.find(accepted.key), silent.names.stream);
    const { client } = silent;
    if (client === null || head === null) return;
    silent.detach();
    silent.destroy();
    await askFromHead(call, accepted, head, client);
  } finally {
    goOn();
  }
}

/** The last event of a stream, which its client has. */
interface Head {
  readonly id: string;
  readonly stream: string;
  readonly generation: string;
}

/** Null where the upstream cannot be asked from there. */
function headOf(log: SessionLog | null, name: string): Head | null {
  const stream = log?.stream(name) ?? null;
  const id = stream?.at(stream.head)?.id ?? null;
  return log === null || id === null || !isHeaderText(id) ? null : { id, stream: name, generation: log.generation };
}

async function askFromHead(call: Call, accepted: AcceptedResume, head: Head, client: ServerResponse): Promise<void> {
  const answer = await askReplay(call, accepted, head.id, BUSY_RETRY_MS);
  if (answer === null) return;
  const { response, log } = answer;
  const isSame = log !== null && log.state === 'live' && !log.isFenced && log.generation === head.generation;
  const owner = isSame ? log.owner(head.id) : null;
  const isReplay = response.statusCode === 200 && isEventStream(response);
  if (!isSame || !isReplay || owner?.stream.name !== head.stream || owner.position < owner.stream.floor - 1 || client.destroyed) {
    response.destroy();
    client.destroy();
    return;
  }
  openChecked(call, { ...accepted, log, stream: owner.stream }, response, owner.position, {}).attach(client, call.conn);
}

/** The upstream said no. Its 404 ends the session, its 409 is a conflict; anything else means that it cannot replay. */
async function refusedUpstream(call: Call, accepted: AcceptedResume, response: IncomingMessage): Promise<JudgedCursor | null> {
  const status = response.statusCode ?? 0;
  const { key, token, located } = accepted;
  if (status === 404) await goneUpstream(call, key, token);
  if (status === 404 || status === 409 || status === 401 || status === 403 || status >= 500) {
    reportAttempt(call, located, { verdict: status >= 500 ? 'failed' : 'refused', reason: status === 409 ? 'stream_busy' : null, status });
    relayWhole(response, call.res);
    return null;
  }
  response.resume();
  if (status === 400 && (await probeSession(call)) === 'dead') {
    await call.ctx.sessions.gone(call, key, token, 'evicted');
    reportAttempt(call, located, { verdict: 'refused', reason: 'session_evicted', status: 404, code: CODES.sessionGone });
    sendRefusal(call.res, 404, SESSION_GONE);
    return null;
  }
  return unavailable(call, accepted);
}

/**
 * What the log retains the upstream does not: nothing after the cursor can be served, so the log that counts is
 * empty above its head. The cursor itself is gone too, hence the stricter floor rule.
 */
function unavailable(call: Call, accepted: AcceptedResume): JudgedCursor {
  const { located, stream, key } = accepted;
  const head = BigInt(stream.head);
  const log = { floor: head + 1n, head, holes: [], reused: [], coveredFrom: null };
  const judged = { ...located, log };
  changeLater(call, key, { kind: 'loss', stream: stream.name, requestId: stream.requestId });
  return { log: accepted.log, located: judged, decision: decide({ floor: 'retained' }, located.session, log, located.request) };
}
