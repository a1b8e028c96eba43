import type { SessionEventLog } from '../log/session-event-log.js';
import type { Observer } from '../observer.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import { decideResume, decisionFor, hasResumption, reasonWithoutLog } from '../verdict/decide.js';
import type { Decision, FloorRule } from '../verdict/facts.js';

/** A cursor as a request presents it. */
export interface PresentedCursor {
  readonly token: string;
  readonly lastEventId: string;
  readonly protocolVersion: string | null;
}

export interface Judged {
  readonly facts: CursorFacts;
  /** Null where the facts do not suffice: then nothing is claimed and the server answers by itself. */
  readonly decision: Decision | null;
}

/** Judges cursors by what the session's log, or the book of the watched store, knows about them. */
export class CursorJudge {
  constructor(
    private readonly observer: Observer | null,
    private readonly log: ((token: string) => SessionEventLog | undefined) | undefined,
    private readonly floorRule: FloorRule,
  ) {}

  judge(cursor: PresentedCursor, isFenced: boolean): Judged {
    const known = isFenced ? this.#goneFacts(cursor, { sessionState: 'evicted' }) : this.#facts(cursor);
    return { facts: known, decision: this.#decide(cursor, known) };
  }

  #facts({ token, lastEventId }: PresentedCursor): CursorFacts {
    const ledger = this.observer?.book.get(token);
    if (ledger !== undefined && ledger.state !== 'live')
      return this.#goneFacts({ token, lastEventId }, { sessionState: ledger.state, generation: ledger.generation });
    const log = this.log?.(token);
    if (log !== undefined) return log.cursorFacts(lastEventId);
    if (ledger !== undefined) return ledger.cursorFacts(lastEventId);
    const knowsSessions = this.log !== undefined || this.observer?.watchesStores === true;
    return knowsSessions ? { ...NOTHING, sessionState: 'unknown' } : NOTHING;
  }

  /** Of a session that is gone nothing is told, but a call that waits for it can still be settled. */
  #goneFacts({ token, lastEventId }: Pick<PresentedCursor, 'token' | 'lastEventId'>, known: Partial<CursorFacts>): CursorFacts {
    const { stream, pendingRequestId = null } = this.observer?.book.get(token)?.cursorFacts(lastEventId) ?? {};
    return { ...NOTHING, ...known, ...(pendingRequestId === null ? {} : { stream, pendingRequestId }) };
  }

  #decide(cursor: PresentedCursor, facts: CursorFacts): Decision | null {
    if (!hasResumption(cursor.protocolVersion)) return decisionFor('protocol_era', null, null, this.floorRule);
    if (facts.sessionState === undefined) return null;
    const asked = {
      protocolVersion: cursor.protocolVersion,
      sessionState: facts.sessionState,
      generation: facts.generation ?? null,
      lastEventId: cursor.lastEventId,
      cursor: facts.cursor ?? null,
      requestedGeneration: facts.requestedGeneration ?? null,
    };
    const log = logFacts(facts);
    const reason = reasonWithoutLog(asked);
    if (reason === 'unknown_cursor' && facts.cursor === undefined) return null;
    if (reason !== null) return decisionFor(reason, asked.cursor, log, this.floorRule);
    return log === null ? null : decideResume(asked, log, this.floorRule);
  }
}

function logFacts({ floor, head, holes, reused }: CursorFacts) {
  return floor === undefined || head === undefined ? null : { floor, head, holes, reused, coveredFrom: null };
}

const NOTHING: CursorFacts = {
  sessionState: undefined,
  generation: undefined,
  stream: undefined,
  cursor: undefined,
  requestedGeneration: undefined,
  floor: undefined,
  head: undefined,
  holes: [],
  reused: [],
  earliestRetainedId: null,
  pendingRequestId: null,
};
