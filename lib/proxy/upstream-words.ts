import type { Told } from '@/lib/session-log/told';

/** A stored record that says which numbering an upstream's process or session has. */
export interface UpstreamWord extends Told {
  readonly kind: 'boot' | 'created' | 'restored' | 'other';
  /** Reference of the session as the intake keeps it; null for a boot. */
  readonly ref: string | null;
  /** Epoch milliseconds of its receipt. */
  readonly receivedAt: number;
}

/** What a word means for one session's log; `maybe` where it cannot be told which cursors it reaches. */
export interface News {
  readonly told: Told;
  readonly rebuilt: 'no' | 'certainly' | 'maybe';
}

export interface Listening {
  /** What the session's log took note of before; null when nothing. */
  readonly told: Told | null;
  /** When the log began, epoch milliseconds. */
  readonly createdAt: number;
  readonly ref: string;
  /** Whether a cursor is to be judged: only then does doubt count, since the next record may lift it. */
  readonly isJudged: boolean;
}

interface HeardBoot extends UpstreamWord {
  /** No process of that name was heard of before: it may stand in for any other. */
  readonly isNewName: boolean;
}

interface HeardSession extends UpstreamWord {
  /** The session had another numbering before, or is said to have been restored. */
  readonly isRebuilt: boolean;
}

const NODES_MAX = 256;
const SESSIONS_MAX = 50_000;
/** A session's own word, its process begun anew, another process in its place. */
const STEPS_MAX = 4;
/** Clocks of machines that are kept in step differ by less. */
const SKEW_MS_MAX = 60_000;

/**
 * What the telemetry of one server says of its numberings. Hearing a word twice, late or out of order is the same as
 * hearing it once and in order: a word counts only against what was told before it, by the clock of the process that
 * it is of, and an older one brings nothing back.
 */
export class UpstreamWords {
  private readonly boots = new Map<string, HeardBoot>();
  private readonly sessions = new Map<string, HeardSession>();
  private lastBootPlace = -1;

  constructor(
    /** How the intake names a session of this server. */
    readonly refOf: (token: string) => string,
  ) {}

  hear(word: UpstreamWord): void {
    if (word.kind !== 'boot' && word.kind !== 'other' && word.ref !== null) this.hearSession(word, word.ref);
    else if (word.kind === 'boot') this.hearBoot(word);
  }

  /** The session begins anew by a request that was seen: what was told of it before is of the past. */
  forget(ref: string): void {
    this.sessions.delete(ref);
  }

  /** What a session's log has to take note of; null when nothing. */
  newsOf(listening: Listening): News | null {
    let news = this.nextOf(listening);
    for (let steps = 1; news !== null && steps < STEPS_MAX; steps++) {
      const next = this.nextOf({ ...listening, told: news.told });
      if (next === null) break;
      news = { told: next.told, rebuilt: stronger(news.rebuilt, next.rebuilt) };
    }
    return news;
  }

  private nextOf(listening: Listening): News | null {
    return this.ofSession(listening) ?? this.ofOwnNode(listening) ?? (listening.isJudged ? this.ofDoubt(listening) : null);
  }

  private hearBoot(word: UpstreamWord): void {
    const name = word.node ?? '';
    const known = this.boots.get(name);
    if (known !== undefined && (known.generation === word.generation || known.at >= word.at)) return;
    this.boots.delete(name);
    this.boots.set(name, { ...word, isNewName: known === undefined || word.node === null });
    this.lastBootPlace = Math.max(this.lastBootPlace, word.place);
    const [oldest] = this.boots.keys();
    if (this.boots.size > NODES_MAX && oldest !== undefined) this.boots.delete(oldest);
  }

  private hearSession(word: UpstreamWord, ref: string): void {
    const known = this.sessions.get(ref);
    if (known !== undefined && (known.generation === word.generation || isStale(word, known))) return;
    this.sessions.delete(ref);
    this.sessions.set(ref, { ...word, isRebuilt: known !== undefined || word.kind === 'restored' });
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
  }

  private ofSession({ told, ref }: Listening): News | null {
    const word = this.sessions.get(ref);
    if (word === undefined) return null;
    if (told === null) return { told: toldBy(word), rebuilt: word.isRebuilt ? 'maybe' : 'no' };
    if (word.generation === told.generation || word.place <= told.place || isStale(word, told)) return null;
    return { told: toldBy(word), rebuilt: 'certainly' };
  }

  /** The very process that had the session began anew. */
  private ofOwnNode({ told }: Listening): News | null {
    if (told === null || told.node === null) return null;
    const boot = this.boots.get(told.node);
    if (boot === undefined || boot.generation === told.generation || boot.place <= told.place || boot.at <= told.at) return null;
    return { told: toldBy(boot), rebuilt: 'certainly' };
  }

  /** A process began that may have taken the place of the one that had the session. */
  private ofDoubt({ told, createdAt }: Listening): News | null {
    if (this.lastBootPlace <= (told?.place ?? -1)) return null;
    let newest: HeardBoot | null = null;
    for (const boot of this.boots.values()) {
      if (isAfter(boot, told, createdAt) && (newest === null || boot.place > newest.place)) newest = boot;
    }
    return newest === null ? null : { told: toldBy(newest), rebuilt: 'maybe' };
  }
}

function isAfter(boot: HeardBoot, told: Told | null, createdAt: number): boolean {
  if (createdAt > boot.at + SKEW_MS_MAX) return false;
  if (told === null) return boot.receivedAt >= createdAt;
  if (boot.place <= told.place || boot.generation === told.generation) return false;
  return told.node === null || (boot.isNewName && boot.node !== told.node);
}

/** A word that is older than what was told. Two processes' clocks may differ a little; one process's may not. */
function isStale(word: UpstreamWord, told: Told): boolean {
  return word.at < told.at - (word.node === told.node ? 0 : SKEW_MS_MAX);
}

const STRENGTH = ['no', 'maybe', 'certainly'] as const;
const stronger = (a: News['rebuilt'], b: News['rebuilt']): News['rebuilt'] => (STRENGTH.indexOf(a) > STRENGTH.indexOf(b) ? a : b);

const toldBy = ({ generation, node, at, place }: UpstreamWord): Told => ({ generation, node, at, place });
