import type { ClientFacts } from '../telemetry/record.js';
import { type LedgerOptions, type PriorGeneration, SessionLedger } from './session-ledger.js';

/** The sessions that are watched, by token. Bounded: one that is idle for longest, to a quarter of all uses, is forgotten. */
export class SessionBook {
  readonly #sessions = new Map<string, SessionLedger>();
  /** Who initialized a session whose book is not open yet. */
  readonly #met = new Map<string, Introduction>();
  #uses = 0;

  constructor(
    readonly maxSessions: number,
    readonly maxIdsPerSession: number,
  ) {}

  has(token: string): boolean {
    return this.#sessions.has(token);
  }

  get(token: string): SessionLedger | undefined {
    const ledger = this.#sessions.get(token);
    if (ledger === undefined) return undefined;
    this.#uses += 1;
    // To move a book costs more than to find it, and the line is long.
    if (this.#uses - ledger.usedAt <= this.maxSessions / 4) return ledger;
    ledger.usedAt = this.#uses;
    this.#sessions.delete(token);
    this.#sessions.set(token, ledger);
    return ledger;
  }

  /** Notes who initialized the session, before or after its book is opened. */
  meet(token: string, introduction: Introduction): void {
    const ledger = this.#sessions.get(token);
    if (ledger === undefined) {
      this.#met.set(token, introduction);
      dropOldest(this.#met, this.maxSessions);
      return;
    }
    ledger.client = introduction.client ?? ledger.client;
    ledger.protocolVersion = introduction.protocolVersion ?? ledger.protocolVersion;
  }

  /**
   * Opens the book of a session. A session that is already booked under the token is superseded: its numbering
   * becomes the prior one, so that its cursors are recognised.
   */
  start(options: Omit<LedgerOptions, 'prior' | 'maxIds'> & { readonly restoredFrom: string | undefined }): SessionLedger {
    const before = this.#sessions.get(options.token);
    const ledger = new SessionLedger({ ...options, prior: priorOf(before, options.restoredFrom), maxIds: this.maxIdsPerSession });
    const met = this.#met.get(options.token) ?? before;
    this.#met.delete(options.token);
    ledger.usedAt = this.#uses;
    ledger.client = met?.client;
    ledger.protocolVersion = met?.protocolVersion;
    this.#sessions.delete(options.token);
    this.#sessions.set(options.token, ledger);
    dropOldest(this.#sessions, this.maxSessions);
    return ledger;
  }
}

interface Introduction {
  readonly client: ClientFacts | undefined;
  readonly protocolVersion: string | undefined;
}

function dropOldest(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}

function priorOf(before: SessionLedger | undefined, restoredFrom: string | undefined): PriorGeneration | null {
  if (before !== undefined) {
    // One generation back is enough to name a cursor, and a chain of them would have no bound.
    before.prior = null;
    return { generation: before.generation, find: (eventId) => before.find(eventId), pendingAt: (place) => before.pendingAt(place) };
  }
  return restoredFrom === undefined ? null : { generation: restoredFrom, find: () => undefined, pendingAt: () => null };
}
