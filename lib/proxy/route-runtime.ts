import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Incarnation, SharedIncarnation } from '@/lib/proxy/incarnation';
import type { Leg } from '@/lib/proxy/leg';
import type { Maybe } from '@/lib/proxy/log-store';
import { RefusalBreaker } from '@/lib/proxy/refusal-breaker';
import type { ProxyRoute, RouteMode } from '@/lib/proxy/route';
import { addressOf, type UpstreamAddress } from '@/lib/proxy/upstream-address';
import { type TapAddress, UpstreamTap } from '@/lib/proxy/upstream-tap';
import type { UpstreamWords } from '@/lib/proxy/upstream-words';

/** Running counts of a route since the process started. */
export interface RouteCounts {
  requests: number;
  streams: number;
  events: number;
  resumed: number;
  refused: Record<string, number>;
  /** What shadow would have refused, by reason. */
  wouldRefuse: Record<string, number>;
}

/** How long a knock at the upstream's address waits for an answer; one that gets none says nothing. */
const KNOCK_MS_MAX = 1_000;
/** A process with thousands of connections takes this long to die. */
const KNOCK_AGAIN_MS = 100;

/** How often an upstream that has nothing to say is looked after. */
export const LOOK_EVERY_MS = 1_000;
/** After this long without an answer a process on its own remembers no session of it that could be resumed. */
const LOOKED_AFTER_MS = 60 * 60_000;

/** So many streams, of more sessions than one, that are cut at once and leave none standing were cut by the end of a process. */
const CUT_TOGETHER_MIN = 3;

export interface RouteHooks {
  /** Nobody listens at the upstream's address any more: the process that had the sessions is gone. */
  readonly onGone: (route: RouteRuntime) => void;
  /** Whatever listened there may have been replaced: it answers, and yet took every connection along. */
  readonly onDoubt: (route: RouteRuntime) => void;
  /** The upstream answers again. */
  readonly onRestart: (route: RouteRuntime) => void;
}

/** Connections to one upstream only: they need no name to be told apart by. */
class OneOriginAgent extends HttpAgent {
  constructor(
    private readonly address: TapAddress,
    options: AgentOptions,
  ) {
    super(options);
  }

  override getName(): string {
    return 'upstream';
  }

  override createConnection(): Socket {
    return new UpstreamTap(this.address).socket;
  }
}

/** A route with everything that changes while it serves. */
export class RouteRuntime {
  mode: RouteMode;
  /** Share of sessions, in percent, that `canary` enforces on. */
  canaryPercent: number;
  /** Counts the upstream's processes as far as they were seen to come and go, by whichever replica; 0 while that is not known. */
  incarnation = 1;
  readonly url: URL;
  readonly upstream: UpstreamAddress;
  readonly agent: HttpAgent;
  readonly counts: RouteCounts = { requests: 0, streams: 0, events: 0, resumed: 0, refused: {}, wouldRefuse: {} };
  readonly breaker = new RefusalBreaker();
  private readonly legs = new Map<string, Set<Leg>>();
  private shared: SharedIncarnation | null = null;
  private wasUnreachable = false;
  private isLooking = false;
  private answeredAt = Number.NEGATIVE_INFINITY;
  private knocking: Promise<void> | null = null;
  private readonly openedAt = new WeakMap<Leg, number>();
  /** Incarnation that began for certain, by a connection that was refused; what began since then is in doubt. */
  private certain = 1;
  /** Session of each stream that was cut since the knock began. */
  private cut: string[] = [];

  constructor(
    readonly route: ProxyRoute,
    private readonly hooks: RouteHooks,
    /** What the upstream's own telemetry says; null where it is not heard. */
    readonly words: UpstreamWords | null = null,
  ) {
    this.mode = route.mode;
    this.canaryPercent = route.canaryPercent;
    this.url = new URL(route.upstream);
    this.upstream = addressOf(this.url);
    const options = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' as const, noDelay: true };
    this.agent =
      this.upstream.protocol === 'https:'
        ? new HttpsAgent({ ...options, ...(route.upstreamCa === null ? {} : { ca: route.upstreamCa }) })
        : new OneOriginAgent(this.upstream, options);
  }

  /** Whether the verdict is acted on for a session. */
  enforces(bucketOf: () => number): boolean {
    return this.mode === 'enforce' || (this.mode === 'canary' && bucketOf() < this.canaryPercent);
  }

  /** Nobody listens at the upstream's address: the process that listens there next is another one. */
  noteUnreachable(): void {
    if (this.wasUnreachable) return;
    this.wasUnreachable = true;
    this.begin(true);
  }

  /** Shares the count with other replicas from now on. */
  share(follow: (onChange: (incarnation: Incarnation) => void) => SharedIncarnation): void {
    this.incarnation = 0;
    this.certain = 0;
    this.shared = follow((incarnation) => this.adopt(incarnation));
  }

  /** Brings the count up to what all replicas know. */
  refresh(): Maybe<void> {
    return this.shared?.read().then((incarnation) => this.adopt(incarnation));
  }

  /** Whether the upstream was replaced since that incarnation only as far as can be guessed. */
  isDoubtSince(incarnation: number | null): boolean {
    return incarnation === null || incarnation > this.incarnation || this.certain <= incarnation;
  }

  private adopt({ current, certain }: Incarnation): void {
    this.incarnation = current;
    this.certain = certain;
  }

  /** Another process of the upstream began, or may have. */
  private begin(isCertain: boolean): void {
    const tell = () => (isCertain ? this.hooks.onGone(this) : this.hooks.onDoubt(this));
    if (this.shared !== null) {
      this.shared.began(isCertain).then(tell, () => undefined);
      return;
    }
    this.incarnation++;
    if (isCertain) this.certain = this.incarnation;
    tell();
  }

  noteAnswered(): void {
    this.answeredAt = performance.now();
    if (!this.wasUnreachable) return;
    this.wasUnreachable = false;
    this.hooks.onRestart(this);
  }

  /**
   * Asks whether anybody still listens, because a stream ended that was not over: a process that was killed and
   * replaced between two requests is noticed in between. One knock at a time, however many streams end at once.
   *
   * @param cut session of a stream that ended in the middle; null for one that was ended in form, or given up by this side
   */
  knock(cut: string | null): void {
    if (cut !== null) this.cut.push(cut);
    this.knocking ??= this.knockTwice(performance.now()).finally(() => {
      this.knocking = null;
      this.cut = [];
    });
  }

  /** A process that dies closes its streams first and its own door last: one that still opens is tried again. */
  private async knockTwice(since: number): Promise<void> {
    await this.knockOnce();
    if (this.wasUnreachable) return;
    await new Promise((resolve) => setTimeout(resolve, KNOCK_AGAIN_MS));
    await this.knockOnce();
    if (this.wasUnreachable || !this.hasLostAll(since)) return;
    this.begin(false);
  }

  /** Whether the streams that stood before that instant were cut, all of them. */
  private hasLostAll(since: number): boolean {
    if (this.cut.length < CUT_TOGETHER_MIN || new Set(this.cut).size < 2) return false;
    return this.allLegs().every((leg) => (this.openedAt.get(leg) ?? 0) >= since);
  }

  /** Knocks where nothing else tells: no stream is open that would be cut, and nothing was answered of late. */
  lookAfter(): void {
    // Behind https stands a machine elsewhere, mostly with a balancer that opens to anybody: nothing to be learnt there.
    if (this.upstream.protocol === 'https:' || this.wasUnreachable || this.isLooking || this.legs.size > 0) return;
    const quietMs = performance.now() - this.answeredAt;
    if (quietMs < LOOK_EVERY_MS || (this.shared === null && quietMs > LOOKED_AFTER_MS)) return;
    this.isLooking = true;
    this.knockOnce().finally(() => {
      this.isLooking = false;
    });
  }

  private knockOnce(): Promise<void> {
    return new Promise<void>((resolve) => {
      const { host, port } = this.upstream;
      const socket = connect({ host, port, timeout: KNOCK_MS_MAX });
      socket.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED') this.noteUnreachable();
      });
      socket.once('connect', () => socket.destroy());
      // A process that was busy for that long finds its timer due before it has read the answer: the answer comes first.
      socket.once('timeout', () => setImmediate(() => socket.destroy()));
      socket.once('close', () => resolve());
    });
  }

  /** Settles when it is known what a knock found. */
  async knocked(): Promise<void> {
    await this.knocking;
  }

  noteRefused(reason: string): void {
    const { refused } = this.counts;
    refused[reason] = (refused[reason] ?? 0) + 1;
  }

  addLeg(leg: Leg): void {
    const legs = this.legs.get(leg.names.key);
    if (legs === undefined) this.legs.set(leg.names.key, new Set([leg]));
    else legs.add(leg);
    this.counts.streams++;
    this.openedAt.set(leg, performance.now());
  }

  removeLeg(leg: Leg): void {
    const legs = this.legs.get(leg.names.key);
    legs?.delete(leg);
    if (legs?.size === 0) this.legs.delete(leg.names.key);
  }

  legsOf(key: string): Leg[] {
    return [...(this.legs.get(key) ?? [])];
  }

  legOf(key: string, stream: string): Leg | null {
    for (const leg of this.legs.get(key) ?? []) if (leg.names.stream === stream) return leg;
    return null;
  }

  sessionsWithLegs(): string[] {
    return [...this.legs.keys()];
  }

  allLegs(): Leg[] {
    return [...this.legs.values()].flatMap((legs) => [...legs]);
  }
}
