import { randomBytes } from 'node:crypto';
import type { SessionEventLog } from '../log/session-event-log.js';
import type { Observer } from '../observer.js';
import { jsonPosition } from '../position.js';
import type { FloorRule, Reason } from '../verdict/facts.js';
import { type AnswerWatch, CallWatch } from './answer-watch.js';
import { CursorJudge, type Judged } from './cursor-judge.js';
import { Exchange } from './exchange.js';
import type { ExchangeOptions, IncomingRequest } from './exchange-records.js';
import { Fence } from './fence.js';
import { logUnreachable, type Refusal, refusalOf, streamBusy, streamEnded } from './refusal.js';
import { asTerminalEvent, TerminalIds } from './terminal-event.js';

/**
 * How a cursor is refused: by HTTP status, or by ending the stream with an error response to the call that waits
 * for it. `terminal_error` and `auto` use the status where no call waits.
 */
export type RefusalStyle = 'status' | 'terminal_error' | 'auto';

export interface ResumeGuardOptions {
  readonly observer: Observer | null;
  readonly log: ((token: string) => SessionEventLog | undefined) | undefined;
  readonly floorRule: FloorRule;
  readonly enforce: boolean;
  readonly refusal: RefusalStyle;
  readonly learnFromWire: boolean;
}

/** What becomes of a request: answered here, or passed to the handler with its answer watched. */
export type Admission =
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  | {
      readonly kind: 'pass';
      /** Who is told of the request's body and of the answer; null when nobody needs it. */
      readonly watch: AnswerWatch | null;
      /** What to answer in place of the server's own 409 to a good cursor. */
      readonly busy: Refusal | null;
      /** Headers to add to a 200; null where no replay was proved. */
      readonly resumeHeaders: Readonly<Record<string, string>> | null;
    };

/** Applies the verdict to requests before the handler sees them, whatever HTTP looks like around it. */
export class ResumeGuard {
  readonly #judge: CursorJudge;
  readonly #fence = new Fence();
  readonly #terminalIds: TerminalIds;
  readonly #exchangeOptions: ExchangeOptions;

  constructor(private readonly options: ResumeGuardOptions) {
    this.#judge = new CursorJudge(options.observer, options.log, options.floorRule);
    const { floorRule, learnFromWire } = options;
    this.#exchangeOptions = { floorRule, learnFromWire, settlesCalls: this.#settlesCalls };
    this.#terminalIds = new TerminalIds(options.observer?.options.hashKey ?? randomBytes(32).toString('hex'));
    options.observer?.onSessionStart((token) => this.#fence.lift(token));
  }

  /** Whether requests under the token are refused until one of them initializes. */
  isFenced(token: string | null): boolean {
    return this.#fence.has(token);
  }

  admit(request: IncomingRequest, isInitialize: boolean): Admission {
    const { observer } = this.options;
    const ledger = request.token === null ? undefined : observer?.book.get(request.token);
    if (ledger !== undefined) ledger.seesDeliveries = true;
    if (isInitialize && request.token !== null) this.#fence.lift(request.token);
    if (this.#isTerminalId(request)) return { kind: 'refuse', refusal: streamEnded() };
    const isFenced = this.isFenced(request.token);
    const judged = this.#judged(request, isFenced);
    if (judged === 'unreachable') return { kind: 'refuse', refusal: logUnreachable() };
    const exchange = observer === null ? null : new Exchange(observer, request, ledger, judged, this.#exchangeOptions);
    const refusal = this.#refusal(request, judged);
    if (refusal === null) return this.#passed(request, exchange, judged);
    exchange?.refused(refusal);
    if (this.#fence.has(request.token) && request.token !== null) observer?.endSession(request.token, 'evicted');
    return { kind: 'refuse', refusal };
  }

  #passed(request: IncomingRequest, exchange: Exchange | null, judged: Judged | null): Admission {
    const isAccepted = this.options.enforce && judged?.decision?.verdict === 'resume';
    return {
      kind: 'pass',
      watch: exchange ?? this.#callWatch(request),
      busy: isAccepted ? streamBusy() : null,
      resumeHeaders: isAccepted ? resumeHeaders(judged) : null,
    };
  }

  /** Where nothing is reported, what a call waits for is still learned. */
  #callWatch({ method, token }: IncomingRequest): CallWatch | null {
    if (!this.#settlesCalls || method !== 'POST' || token === null) return null;
    return new CallWatch((eventId, requestId) => this.options.log?.(token)?.openedFor(eventId, requestId));
  }

  get #settlesCalls(): boolean {
    return this.options.enforce && this.options.refusal !== 'status';
  }

  #isTerminalId({ method, token, lastEventId }: IncomingRequest): boolean {
    return this.#settlesCalls && method === 'GET' && token !== null && this.#terminalIds.has(token, lastEventId ?? '');
  }

  #judged(request: IncomingRequest, isFenced: boolean): Judged | null | 'unreachable' {
    const { method, token, lastEventId, protocolVersion } = request;
    const isResume = method === 'GET' && lastEventId !== null && lastEventId !== '';
    if (token === null || (!isResume && !isFenced)) return null;
    try {
      return this.#judge.judge({ token, lastEventId: lastEventId ?? '', protocolVersion }, isFenced);
    } catch {
      // A log that cannot be asked proves nothing, neither for nor against the cursor.
      return this.options.enforce ? 'unreachable' : null;
    }
  }

  #refusal(request: IncomingRequest, judged: Judged | null): Refusal | null {
    const decision = judged?.decision ?? null;
    if (!this.options.enforce || judged === null || decision === null || decision.verdict !== 'refuse') return null;
    if (request.token !== null && FENCING.has(decision.reason)) this.#fence.put(request.token);
    const refusal = refusalOf(decision, judged.facts);
    const { pendingRequestId } = judged.facts;
    if (!this.#settlesCalls || pendingRequestId === null || request.token === null) return refusal;
    return asTerminalEvent(refusal, pendingRequestId, this.#terminalIds.mint(request.token));
  }
}

/** Refusals after which the session's own state is not the one the client believes in. */
const FENCING: ReadonlySet<Reason> = new Set<Reason>(['generation_mismatch', 'generation_unknown', 'session_superseded']);

function resumeHeaders(judged: Judged): Record<string, string> {
  const replay = judged.decision?.replay;
  if (replay === null || replay === undefined) return {};
  const { cursor, generation, floor, head } = judged.facts;
  const position = (name: string, value: bigint | null | undefined) =>
    value === null || value === undefined ? {} : { [name]: String(jsonPosition(value)) };
  return {
    ...position('tidemark-resumed-from', cursor),
    ...(generation === null || generation === undefined ? {} : { 'tidemark-generation': generation }),
    ...position('tidemark-floor', floor),
    ...position('tidemark-head', head),
    ...position('tidemark-replayed', replay.count),
  };
}
