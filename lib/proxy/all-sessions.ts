import type { Peers } from '@/lib/proxy/log-store';
import type { SessionStatus, StreamStatus } from '@/lib/proxy/route-status';

/** Sessions of a route, over every process that could be asked. */
export interface SessionList {
  readonly items: readonly SessionStatus[];
  /** Processes that the list is of, this one included; null where the others cannot be asked. */
  readonly replicas: number | null;
  /** Processes that did not answer in time: their sessions are missing. */
  readonly silent: number;
}

/** What a process knows and can do by itself. */
export interface OwnSessions {
  /** Null when there is no such route. */
  readonly list: (route: string, limit: number) => Promise<SessionStatus[] | null>;
  /** False when the session is not known here. */
  readonly end: (route: string, ref: string) => Promise<boolean>;
}

type Question =
  | { readonly kind: 'sessions'; readonly route: string; readonly limit: number }
  | { readonly kind: 'end'; readonly route: string; readonly ref: string };

/** The sessions of every process that shares the store: each tells what it has, and ends what it has. */
export class AllSessions {
  constructor(
    private readonly own: OwnSessions,
    private readonly peers: Peers | null,
  ) {
    peers?.onAsk(async (text) => JSON.stringify(await this.answer(JSON.parse(text) as Question)));
  }

  /** Most recently active first, at most `limit`; null when there is no such route. */
  async list(route: string, limit: number): Promise<SessionList | null> {
    const own = await this.own.list(route, limit);
    if (own === null || this.peers === null) return own === null ? null : { items: own, replicas: null, silent: 0 };
    const { answers, silent } = await this.peers.ask(JSON.stringify({ kind: 'sessions', route, limit } satisfies Question));
    const told = answers.flatMap((answer) => JSON.parse(answer) as SessionStatus[]);
    return { items: mergeSessions([...own, ...told]).slice(0, limit), replicas: answers.length + 1, silent };
  }

  /** Ends a session wherever it is served; false when no process knows it. */
  async end(route: string, ref: string): Promise<boolean> {
    const isEndedHere = await this.own.end(route, ref);
    if (this.peers === null) return isEndedHere;
    const { answers } = await this.peers.ask(JSON.stringify({ kind: 'end', route, ref } satisfies Question));
    return isEndedHere || answers.some((answer) => JSON.parse(answer) === true);
  }

  private async answer(question: Question): Promise<readonly SessionStatus[] | boolean> {
    if (question.kind === 'end') return this.own.end(question.route, question.ref);
    return (await this.own.list(question.route, question.limit)) ?? [];
  }
}

/** One entry a session, most recently active first: what each process saw of it, put together. */
export function mergeSessions(sessions: readonly SessionStatus[]): SessionStatus[] {
  const byRef = new Map<string, SessionStatus>();
  for (const session of sessions) {
    const known = byRef.get(session.ref);
    byRef.set(session.ref, known === undefined ? session : merged(known, session));
  }
  return [...byRef.values()].sort((one, other) => other.lastAt - one.lastAt);
}

function merged(one: SessionStatus, other: SessionStatus): SessionStatus {
  const newer = other.lastAt > one.lastAt ? other : one;
  const byName = new Map(one.streams.map((stream) => [stream.stream, stream]));
  for (const stream of other.streams) {
    const known = byName.get(stream.stream);
    byName.set(stream.stream, known === undefined ? stream : mergedStream(known, stream));
  }
  return { ...newer, nodes: [...one.nodes, ...other.nodes], streams: [...byName.values()] };
}

/** The log is one; who reads and who is away is known where it happened. A client that nobody serves will bring the latest of its cursors. */
function mergedStream(one: StreamStatus, other: StreamStatus): StreamStatus {
  const serving = [one, other].find((stream) => stream.hasListener);
  const newer = other.head > one.head ? other : one;
  const leads = [one, other].flatMap(({ leadToFloor }) => leadToFloor ?? []);
  return {
    ...newer,
    hasListener: serving !== undefined,
    isReadUpstream: one.isReadUpstream || other.isReadUpstream,
    leadToFloor: serving?.leadToFloor ?? (leads.length === 0 ? null : Math.max(...leads)),
  };
}
