import { exchangeScope } from '../exchange-scope.js';
import type { SessionEventLog } from '../log/session-event-log.js';
import type { Observer } from '../observer.js';
import { jsonPosition } from '../position.js';
import type { FloorRule, Reason } from '../verdict/facts.js';
import { CursorJudge, type Judged } from './cursor-judge.js';
import { Exchange, type IncomingRequest } from './exchange.js';
import { Fence } from './fence.js';
import { logUnreachable, type Refusal, refusalOf } from './refusal.js';

export interface ResumeGuardOptions {
  readonly observer: Observer | null;
  readonly log: ((token: string) => SessionEventLog | undefined) | undefined;
  readonly floorRule: FloorRule;
  readonly enforce: boolean;
  readonly learnFromWire: boolean;
}

/** What becomes of a request: answered here, or passed to the handler with its answer watched. */
export type Admission =
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  | {
      readonly kind: 'pass';
      readonly exchange: Exchange | null;
      /** Headers to add to a 200, given where the whole replay was proved. */
      readonly resumeHeaders: Readonly<Record<string, string>>;
    };

/** Applies the verdict to requests before the handler sees them, whatever HTTP looks like around it. */
export class ResumeGuard {
  readonly #judge: CursorJudge;
  readonly #fence = new Fence();

  constructor(private readonly options: ResumeGuardOptions) {
    this.#judge = new CursorJudge(options.observer, options.log, options.floorRule);
    options.observer?.onSessionStart((token) => this.#fence.lift(token));
  }

  admit(request: IncomingRequest, isInitialize: boolean): Admission {
    const { observer } = this.options;
    const ledger = request.token === null ? undefined : observer?.book.get(request.token);
    if (ledger !== undefined) ledger.seesDeliveries = true;
    if (isInitialize && request.token !== null) this.#fence.lift(request.token);
    const isFenced = this.#fence.has(request.token);
    const judged = this.#judged(request, isFenced);
    if (judged === 'unreachable') return { kind: 'refuse', refusal: logUnreachable() };
    const exchange = observer === null ? null : new Exchange(observer, request, judged, this.options);
    const refusal = this.#refusal(request, judged);
    if (refusal !== null) {
      exchange?.refused(refusal.status, refusal.code);
      if (this.#fence.has(request.token) && request.token !== null) observer?.endSession(request.token, 'evicted');
      return { kind: 'refuse', refusal };
    }
    return { kind: 'pass', exchange, resumeHeaders: this.options.enforce ? resumeHeaders(judged) : {} };
  }

  /** Runs the handler so that a watched store can tell the exchange what it did. */
  run<T>(exchange: Exchange | null, handler: () => T): T {
    return exchange === null ? handler() : exchangeScope.run(exchange, handler);
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
    return refusalOf(decision, judged.facts);
  }
}

/** Refusals after which the session's own state is not the one the client believes in. */
const FENCING: ReadonlySet<Reason> = new Set<Reason>(['generation_mismatch', 'generation_unknown', 'session_superseded']);

function resumeHeaders(judged: Judged | null): Record<string, string> {
  const replay = judged?.decision?.replay;
  if (judged === null || replay === null || replay === undefined) return {};
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
