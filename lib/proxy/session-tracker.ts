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
  /** Incarnation of the upstream that the session's generation belongs to. */
  incarnation: number;
  /** Last value of the route's instance header. */
  instance: string | null;
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
    const begun = this.store.begin(key, { principal: call.principal, isHeardFromStart: true, retention: call.route.route.buffer });
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
  gone(call: SessionScope, key: string, token: string, event: 'ended' | 'evicted'): Maybe<void> {
    const generation = this.generationOf(key);
    this.forget(call.route, key);
    call.ctx.telemetry.flush();
    call.ctx.telemetry.add({ type: 'session', server: call.route.route.name, session: token, generation: generation || null, event });
    return this.store.change(key, { kind: 'end' });
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
  async lost(route: RouteRuntime): Promise<void> {
    if (!this.store.isShared) return;
    for (const key of this.keysOfRoute(route.route.name)) {
      const notes = this.notes.get(key);
      if (notes === undefined || notes.incarnation === route.incarnation) continue;
      const isDoubtful = route.isDoubtSince(notes.incarnation);
      notes.incarnation = route.incarnation;
      await this.store.change(key, { kind: 'generation', isDoubtful });
    }
  }

  /** The legs noticed a rebuilt numbering. */
  rebuilt(call: SessionScope, key: string, log: SessionLog): void {
    const notes = this.notes.get(key);
    if (notes === undefined || notes.generation === log.generation) return;
    notes.generation = log.generation;
    this.report(call, notes.token, 'restored', log);
  }

  private adopt(call: SessionWitness, key: string, token: string): Maybe<SessionLog> {
    const begun = this.store.begin(key, { principal: call.principal, isHeardFromStart: false, retention: call.route.route.buffer });
    return whenReady(begun, (log) => {
      this.remember(call, key, token, log);
      this.report(call, token, 'restored', log);
      return log;
    });
  }

  private read(call: SessionWitness, key: string, isJudged: boolean): Maybe<SessionLog | null> {
    const settled = whenReady(this.store.find(key), (log) => this.afterRestart(call, key, log));
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

  private afterRestart(call: SessionWitness, key: string, log: SessionLog | null): Maybe<SessionLog | null> {
    const notes = this.notes.get(key);
    if (log === null || notes === undefined) return log;
    if (notes.incarnation === call.route.incarnation) {
      this.rebuilt(call, key, log);
      return log;
    }
    const isDoubtful = call.route.isDoubtSince(notes.incarnation);
    notes.incarnation = call.route.incarnation;
    return this.startGeneration(call, key, log, isDoubtful);
  }

  private checkInstance(call: SessionWitness, key: string, log: SessionLog): Maybe<SessionLog> {
    const notes = this.notes.get(key);
    const name = call.route.route.instanceHeader;
    if (name === null || notes === undefined) return log;
    const value = headerValue(call.upstreamHeaders?.[name.toLowerCase()]);
    if (value === null || value === notes.instance) return log;
    const isFirst = notes.instance === null;
    notes.instance = value;
    return isFirst ? log : this.startGeneration(call, key, log);
  }

  private startGeneration(call: SessionWitness, key: string, log: SessionLog, isDoubtful = false): Maybe<SessionLog> {
    const changed = this.store.change(key, { kind: 'generation', isDoubtful });
    return whenReady(changed, () => {
      this.rebuilt(call, key, log);
      return log;
    });
  }

  private remember(call: SessionWitness, key: string, token: string, log: SessionLog): void {
    const known = this.notes.get(key);
    if (known !== undefined) {
      known.generation = log.generation;
      known.lastAt = call.startedAt;
      return;
    }
    const instanceName = call.route.route.instanceHeader;
    const instance = instanceName === null ? null : headerValue(call.upstreamHeaders?.[instanceName.toLowerCase()]);
    const { incarnation, route } = call.route;
    this.notes.set(key, { token, route: route.name, incarnation, instance, generation: log.generation, lastAt: call.startedAt });
    const [oldest] = this.notes.keys();
    if (this.notes.size > NOTES_MAX && oldest !== undefined) this.notes.delete(oldest);
  }

  private report(call: SessionScope, token: string, event: 'created' | 'restored', log: SessionLog): void {
    const { telemetry } = call.ctx;
    const server = call.route.route.name;
    telemetry.add({ type: 'session', server, session: token, generation: log.generation, event, principal: log.principal });
  }
}
