import type { IncomingHttpHeaders } from 'node:http';

import { headerValue } from '@/lib/proxy/headers';
import { type Maybe, type SessionLogStore, whenReady } from '@/lib/proxy/log-store';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';
import type { Telemetry } from '@/lib/proxy/telemetry';
import type { SessionLog } from '@/lib/session-log/session-log';

/** What the life of a session is read from, of the request that shows it. */
export interface SessionWitness extends SessionScope {
  readonly principal: string;
  readonly token: string | null;
  readonly enforces: boolean;
  readonly startedAt: number;
  readonly incarnation: number;
  readonly upstreamHeaders: IncomingHttpHeaders | null;
}

export interface SessionScope {
  readonly ctx: { readonly telemetry: Telemetry };
  readonly route: RouteRuntime;
}

/** What this process remembers of a session beside its log. */
interface SessionNotes {
  readonly token: string;
  readonly route: string;
  generation: string;
  lastAt: number;
}

const NOTES_MAX = 100_000;

/** Follows the life of sessions: created, rebuilt, gone. Every sign of a rebuilt session starts a generation. */
export class SessionTracker {
  private readonly notes = new Map<string, SessionNotes>();

  constructor(private readonly store: SessionLogStore) {}

  /** Label of the session's live generation as last seen here. */
  generationOf(key: string): string {
    return this.notes.get(key)?.generation ?? '';
  }

  tokenOf(key: string): string | null {
    return this.notes.get(key)?.token ?? null;
  }

  /** The token of a session of this route; null for those of others. */
  tokenOn(route: string, key: string): string | null {
    const notes = this.notes.get(key);
    return notes?.route === route ? notes.token : null;
  }

  keysOfRoute(route: string): string[] {
    return [...this.notes].filter(([, notes]) => notes.route === route).map(([key]) => key);
  }

  /**
   * The session's log as it stands now; a restart of the upstream since it was last used counts first. Null for
   * a session that is not known.
   */
  current(call: SessionWitness, key: string): Maybe<SessionLog | null> {
    return this.read(call, key, false);
  }

  /** The same where a cursor is to be judged by it: then what is in doubt counts as changed. */
  judged(call: SessionWitness, key: string): Maybe<SessionLog | null> {
    return this.read(call, key, true);
  }

  /** The session's log now that the upstream answered a request of it: the answer may come of another process. */
  answered(call: SessionWitness, key: string): Maybe<SessionLog | null> {
    return whenReady(this.judged(call, key), (log) => (log === null ? null : this.checkInstance(call, key, log)));
  }

  /** Whether requests of this session are answered 404 without asking the upstream. */
  isGone(log: SessionLog | null, principal: string): boolean {
    return log !== null && log.principal === principal && (log.state === 'evicted' || log.isFenced);
  }

  /** A successful `initialize` named the session: everything before it under the token is another generation. */
  initialized(call: SessionWitness, key: string, token: string): Maybe<SessionLog> {
    const begun = this.begin(call, key, true);
    const { words } = call.route;
    words?.forget(words.refOf(token));
    return whenReady(begun, (log) => {
      this.remember(call, key, token, log);
      this.report(call, token, 'created', log);
      return log;
    });
  }

  /** The upstream answered for the session. One that was not known is taken over from where it is now. */
  alive(call: SessionWitness, key: string, token: string): Maybe<SessionLog | null> {
    return whenReady(this.current(call, key), (log) => {
      const isDead = log !== null && log.state === 'evicted' && !call.enforces;
      if (log === null || isDead) return this.adopt(call, key, token);
      this.remember(call, key, token, log);
      return this.checkInstance(call, key, log);
    });
  }

  /** The session is over: by a DELETE that succeeded, by the upstream's 404, or ended here. */
  gone(call: SessionScope, key: string, token: string, event: 'ended' | 'evicted', principal?: string): Maybe<void> {
    const generation = this.generationOf(key);
    this.forget(call.route, key);
    call.ctx.telemetry.flush();
    call.ctx.telemetry.add({ type: 'session', server: call.route.route.name, session: token, generation: generation || null, event });
    return this.store.change(key, { kind: 'end', ...(principal === undefined ? {} : { principal }) });
  }

  /** Ends the streams of a session that is over, and remembers it no longer. */
  forget(route: RouteRuntime, key: string): void {
    for (const leg of route.legsOf(key)) leg.destroy();
    this.notes.delete(key);
  }

  /** After a refusal for its generation the session stays refused until a new `initialize`. */
  fence(call: SessionWitness, key: string): Maybe<void> {
    for (const leg of call.route.legsOf(key)) leg.destroy();
    return this.store.change(key, { kind: 'fence' });
  }

  /**
   * The upstream process that had the sessions of a route is gone. Where other replicas judge them too, each is told
   * now, since they may not have noticed; else it is enough that `current` will.
   */
  async lost({ ctx, route }: SessionScope): Promise<void> {
    if (!this.store.isShared) return;
    for (const key of this.keysOfRoute(route.route.name)) {
      const log = await this.store.find(key);
      if (log !== null) await this.afterRestart({ ctx, route }, key, log, true);
    }
  }

  /** The legs noticed a rebuilt numbering. */
  rebuilt(call: SessionScope, key: string, log: SessionLog): void {
    const notes = this.notes.get(key);
    if (notes === undefined || notes.generation === log.generation) return;
    notes.generation = log.generation;
    this.report(call, notes.token, 'restored', log);
  }

  private begin(call: SessionWitness, key: string, isHeardFromStart: boolean): Maybe<SessionLog> {
    const { principal, incarnation } = call;
    return this.store.begin(key, {
      principal,
      isHeardFromStart,
      retention: call.route.route.buffer,
      incarnation,
      instance: instanceOf(call),
    });
  }

  private adopt(call: SessionWitness, key: string, token: string): Maybe<SessionLog> {
    const begun = this.begin(call, key, false);
    return whenReady(begun, (log) => {
      this.remember(call, key, token, log);
      this.report(call, token, 'restored', log);
      return log;
    });
  }

  private read(call: SessionWitness, key: string, isJudged: boolean): Maybe<SessionLog | null> {
    const settled = whenReady(this.store.find(key), (log) =>
      whenReady(isJudged && log !== null ? call.route.refresh() : undefined, () => this.afterRestart(call, key, log, isJudged)),
    );
    return call.route.words === null ? settled : whenReady(settled, (log) => this.afterWord(call, key, log, isJudged));
  }

  /** Takes note of what the upstream's own telemetry told meanwhile. */
  private afterWord(call: SessionWitness, key: string, log: SessionLog | null, isJudged: boolean): Maybe<SessionLog | null> {
    const { words } = call.route;
    if (words === null || call.token === null || log === null || log.state !== 'live') return log;
    const news = words.newsOf({ told: log.told, createdAt: log.createdAt, ref: words.refOf(call.token), isJudged });
    if (news === null) return log;
    const changed = this.store.change(key, { kind: 'told', ...news });
    return whenReady(changed, () =>
      whenReady(this.store.find(key), (now) => {
        if (now !== null) this.rebuilt(call, key, now);
        return now;
      }),
    );
  }

  /**
   * Holds the session against what is known of its upstream. Where a cursor is judged that is what all replicas know now,
   * and a session of any other incarnation, or of one that nobody kept, is in doubt at least.
   */
  private afterRestart(call: SessionScope, key: string, log: SessionLog | null, isJudged: boolean): Maybe<SessionLog | null> {
    if (log === null || log.state !== 'live') return log;
    const { route } = call;
    const { incarnation } = route;
    const isPast = log.incarnation === null || log.incarnation < incarnation;
    if (log.incarnation === incarnation || !(isPast || isJudged)) {
      this.rebuilt(call, key, log);
      return log;
    }
    return this.startGeneration(call, key, { incarnation, isDoubtful: route.isDoubtSince(log.incarnation) });
  }

  private checkInstance(call: SessionWitness, key: string, log: SessionLog): Maybe<SessionLog | null> {
    const instance = instanceOf(call);
    if (instance === null || instance === log.instance) return log;
    if (log.instance !== null) return this.startGeneration(call, key, { instance });
    return whenReady(this.store.change(key, { kind: 'instance', instance }), () => log);
  }

  private startGeneration(
    call: SessionScope,
    key: string,
    why: { readonly incarnation?: number; readonly instance?: string; readonly isDoubtful?: boolean },
  ): Maybe<SessionLog | null> {
    const changed = this.store.change(key, { kind: 'generation', ...why });
    return whenReady(changed, () =>
      whenReady(this.store.find(key), (log) => {
        if (log !== null) this.rebuilt(call, key, log);
        return log;
      }),
    );
  }

  private remember(call: SessionWitness, key: string, token: string, log: SessionLog): void {
    const known = this.notes.get(key);
    if (known !== undefined) {
      known.generation = log.generation;
      known.lastAt = call.startedAt;
      return;
    }
    this.notes.set(key, { token, route: call.route.route.name, generation: log.generation, lastAt: call.startedAt });
    const [oldest] = this.notes.keys();
    if (this.notes.size > NOTES_MAX && oldest !== undefined) this.notes.delete(oldest);
  }

  private report(call: SessionScope, token: string, event: 'created' | 'restored', log: SessionLog): void {
    const { telemetry } = call.ctx;
    const server = call.route.route.name;
    telemetry.add({ type: 'session', server, session: token, generation: log.generation, event, principal: log.principal });
  }
}

/** What the route's instance header says, where it has one. */
function instanceOf({ route, upstreamHeaders }: SessionWitness): string | null {
  const name = route.route.instanceHeader;
  return name === null ? null : headerValue(upstreamHeaders?.[name.toLowerCase()]);
}
