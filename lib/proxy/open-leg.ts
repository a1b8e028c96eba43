import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { Leg, type LegNames } from '@/lib/proxy/leg';
import { LegJournal } from '@/lib/proxy/leg-journal';
import { watchUpstream } from '@/lib/proxy/liveness';
import type { LogChange } from '@/lib/proxy/log-store';
import { CODES, type RpcError } from '@/lib/proxy/refusal';
import { sourceOf } from '@/lib/proxy/relay-response';
import { terminalEvents } from '@/lib/proxy/terminal-event';
import type { ReplayCheck, ReplayFault } from '@/lib/session-log/replay-check';
import type { SessionLog } from '@/lib/session-log/session-log';

export interface LegPlan {
  readonly names: LegNames;
  readonly token: string;
  readonly upstream: IncomingMessage;
  readonly check: ReplayCheck | null;
  readonly onReplayed?: (leg: Leg, fault: ReplayFault | null) => void;
  /** The replay was found faulty before anything of it was written: the client can still be refused in words. */
  readonly onUnserved?: (fault: ReplayFault) => void;
}

const FAULT_WORDS: Readonly<Record<ReplayFault, string>> = {
  missing: 'the server left out an event that it had sent before',
  foreign: 'the server replayed an event of another stream',
  repeated: 'the server repeated an event that the client already has',
  altered: 'the server sent other data under an id that it had used before',
};

/** Starts reading an upstream's event stream and follows it to its end, with a client or without. */
export function openLeg(call: Call, plan: LegPlan): Leg {
  const { ctx, route } = call;
  const { names, token } = plan;
  const server = route.route.name;
  const journal = new LegJournal(
    ctx.telemetry,
    { server, session: token, stream: names.stream, protocolVersion: call.version },
    plan.check !== null,
  );
  let fault: ReplayFault | null = null;
  const leg: Leg = new Leg({
    names,
    source: sourceOf(plan.upstream),
    store: ctx.store,
    journal,
    fingerprintKey: ctx.credentials.fingerprintKey,
    clock: ctx.clock,
    generation: () => ctx.sessions.generationOf(names.key),
    retains: call.enforces && route.route.replay === 'proxy',
    unfinished: ctx.unfinished,
    retainedBytesMax: route.route.buffer.bytes,
    check: plan.check,
    enforces: call.enforces,
    onFault: (_leg, found) => {
      fault ??= found;
      if (call.enforces) endFaulty(call, leg, found, plan);
    },
    onReplayed: () => plan.onReplayed?.(leg, fault),
    onGeneration: () => noteGeneration(call, names.key),
    onClientGone: () => {
      reportClose(call, leg, 'client');
      noteLeft(call, leg);
      linger(call, leg);
    },
    onEnd: (_leg, isClean) => endLeg(call, leg, isClean),
    onEvents: (count) => {
      route.counts.events += count;
    },
  });
  route.addLeg(leg);
  watchUpstream(call, plan.upstream, leg);
  noteReader(call, leg, true);
  return leg;
}

/** Tells the other replicas who reads a stream; a process on its own has nobody to tell. */
function noteReader(call: Call, leg: Leg, isReading: boolean): void {
  const { key, stream, requestId } = leg.names;
  const { store, node } = call.ctx;
  if (store.isShared) changeLater(call, key, { kind: 'reader', stream, requestId, node, isReading });
}

/** Changes a log where the caller cannot wait; a store that is down refuses every resume, which is the safe side. */
export function changeLater(call: Call, key: string, change: LogChange): void {
  try {
    const outcome = call.ctx.store.change(key, change);
    if (outcome instanceof Promise) outcome.catch((error: unknown) => noteStoreError(call, error));
  } catch (error) {
    noteStoreError(call, error);
  }
}

function noteStoreError(call: Call, error: unknown): void {
  call.ctx.log('error', 'session log store failed', { route: call.route.route.name, error: String(error) });
}

/** Remembers where the client that went away stood, so that it shows how long it may stay away. */
function noteLeft(call: Call, { names }: Leg): void {
  const note = (log: SessionLog | null) => {
    const stream = log?.stream(names.stream) ?? null;
    if (stream !== null) stream.leftAt = stream.head;
  };
  const found = call.ctx.store.find(names.key);
  if (found instanceof Promise) found.then(note).catch((error: unknown) => noteStoreError(call, error));
  else note(found);
}

function noteGeneration(call: Call, key: string): void {
  const found = call.ctx.store.find(key);
  if (found instanceof Promise) {
    found.then((log) => log !== null && call.ctx.sessions.rebuilt(call, key, log)).catch((error: unknown) => noteStoreError(call, error));
  } else if (found !== null) call.ctx.sessions.rebuilt(call, key, found);
}

/** A replay that cannot be completed: the stream ends with the terminal error, and older cursors of it are refused from now on. */
function endFaulty(call: Call, leg: Leg, fault: ReplayFault, { onUnserved }: LegPlan): void {
  const { ctx } = call;
  const { key, stream, requestId } = leg.names;
  const { client, pending } = leg;
  leg.detach();
  changeLater(call, key, { kind: 'loss', stream, requestId });
  if (client !== null && !client.headersSent && onUnserved !== undefined) onUnserved(fault);
  else if (client !== null) {
    if (pending !== null) client.write(terminalEvents(ctx.credentials, key, pending, faultError(fault)));
    client.end();
    reportClose(call, leg, 'server');
  }
  ctx.log('warn', 'replay ended with an error', { route: call.route.route.name, fault, stream });
  leg.destroy();
}

export function faultError(fault: ReplayFault): RpcError {
  return {
    code: CODES.unavailable,
    message: `resume_unavailable: ${FAULT_WORDS[fault]}; start a new session with initialize`,
    data: {
      type: 'resume_unavailable',
      reason: fault === 'repeated' || fault === 'altered' ? 'id_reused' : 'hole',
      next_step: 'reinitialize',
    },
  };
}

/**
 * In the eras with resumption a disconnect is no cancel: the answer of a POST is read on, so that it is known what
 * the client misses. A standalone stream is let go at once, unless the proxy replays it, since servers refuse a
 * second one while the first is open.
 */
function linger(call: Call, leg: Leg): void {
  const retains = call.enforces && call.route.route.replay === 'proxy';
  if (leg.names.requestId === null && !retains) {
    leg.destroy();
    return;
  }
  const timer = setTimeout(() => {
    if (leg.client === null) leg.destroy();
  }, call.route.route.buffer.ttlMs);
  timer.unref();
}

function endLeg(call: Call, leg: Leg, isClean: boolean): void {
  const { route } = call;
  const { key, stream, requestId } = leg.names;
  route.removeLeg(leg);
  noteReader(call, leg, false);
  const client = leg.client;
  if (client !== null) {
    leg.detach();
    reportClose(call, leg, isClean ? (isSuperseded(call, leg) ? 'superseded' : 'server') : 'network');
    if (isClean) client.end();
    else client.destroy();
  }
  if (leg.isAnswered) return;
  if (leg.isEndedUpstream) route.knock(isClean || leg.isGivenUp ? null : key);
  // Without ids of its own the server cannot say what it sends between this connection and the next.
  if (leg.hasOwnIds) changeLater(call, key, { kind: 'loss', stream, requestId });
}

/** Whether the server ended a standalone stream because it took another one of the session in its place. */
const isSuperseded = ({ route }: Call, leg: Leg): boolean =>
  leg.names.requestId === null && route.legsOf(leg.names.key).some((other) => other.names.requestId === null && other.client !== null);

export function reportClose(call: Call, leg: Leg, by: 'client' | 'server' | 'network' | 'superseded'): void {
  const session = call.ctx.sessions.tokenOf(leg.names.key);
  call.ctx.telemetry.flush();
  call.ctx.telemetry.add({ type: 'close', server: call.route.route.name, session, stream: leg.names.stream, conn: leg.conn, by });
}
