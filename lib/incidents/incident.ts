import type { FindingCode, Severity } from '@/lib/audit/finding';

/**
 * What an incident is about, from the server's point of view. One server has at most one incident of a cause that
 * is not resolved.
 */
export const CAUSES = [
  'skipped_events',
  'former_generation',
  'unknown_cursor',
  'cross_session_replay',
  'doubled_calls',
  'resume_unavailable',
  'reconnect_storm',
  'blind',
] as const;
export type Cause = (typeof CAUSES)[number];

export type IncidentState = 'open' | 'quiet' | 'resolved';

/** Sessions that an incident names; beyond them their number is "at least". */
export const SESSIONS_NAMED_MAX = 1000;

/** What was lost or doubled, and how far it is known. */
export interface Toll {
  /** Resume attempts that were judged faulty or refused. */
  readonly attempts: number;
  /** References of sessions, in order of appearance, at most `SESSIONS_NAMED_MAX`. */
  readonly sessions: readonly string[];
  readonly sessionsAtLeast: boolean;
  /** Events as attempts count them and as findings do; the larger is told, since both look at the same loss. */
  readonly eventsOfAttempts: bigint;
  readonly eventsOfFindings: bigint;
  readonly eventsAtLeast: boolean;
  /** Calls whose answer was lost, and calls that may have run twice. */
  readonly callsLost: number;
  readonly callsDoubled: number;
  /** Findings per code. */
  readonly findings: Readonly<Partial<Record<FindingCode, number>>>;
}

export interface Incident {
  /** `cause/server`, with a suffix for a part that was split off. Stable: evidence finds its incident by it. */
  readonly key: string;
  readonly server: string;
  readonly cause: Cause;
  readonly state: IncidentState;
  readonly severity: Severity;
  /** Instants in epoch milliseconds. */
  readonly openedAt: number;
  readonly lastEvidenceAt: number;
  /** When it last became quiet or was resolved; null while open. */
  readonly settledAt: number | null;
  /** How often it was opened again. */
  readonly reopened: number;
  /** Key of the incident it was merged into; then it takes no evidence any more. */
  readonly mergedInto: string | null;
  readonly toll: Toll;
}

/** A fact that speaks for an incident. */
export interface Evidence {
  readonly at: number;
  readonly server: string;
  readonly cause: Cause;
  /** Reference of the session; null for what concerns none or many. */
  readonly session: string | null;
  readonly severity: Severity;
  readonly attempts: number;
  readonly events: { readonly of: 'attempt' | 'finding'; readonly count: bigint; readonly exact: boolean } | null;
  readonly callsLost: number;
  readonly callsDoubled: number;
  readonly finding: FindingCode | null;
}

export type EffectType = 'opened' | 'escalated' | 'quieted' | 'reopened' | 'resolved';

/** A change worth telling. `incident` is its state after it. */
export interface IncidentEffect {
  readonly type: EffectType;
  readonly at: number;
  readonly incident: Incident;
}

/** All incidents that may still change, by key, and how evidence is led to them. */
export interface IncidentBook {
  /** Newest instant that was worked on. */
  readonly now: number;
  readonly incidents: Readonly<Record<string, Incident>>;
  /** Sessions that were split off, by the key they would belong to: session reference → key of the part. */
  readonly split: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const NEW_BOOK: IncidentBook = { now: 0, incidents: {}, split: {} };

/** Quiet after this long without evidence. */
export const QUIET_AFTER_MS = 30 * 60_000;
/** Resolved after this long in quiet. */
export const RESOLVED_AFTER_MS = 24 * 3_600_000;
/** A resolved incident whose cause comes back within this long is opened again; later it is a new one. */
export const REOPENED_WITHIN_MS = 7 * 24 * 3_600_000;

export const keyOf = (cause: Cause, server: string): string => `${cause}/${server}`;

/** Events lost or doubled, as the larger of both counts. */
export function eventsOf({ eventsOfAttempts, eventsOfFindings }: Toll): bigint {
  return eventsOfAttempts > eventsOfFindings ? eventsOfAttempts : eventsOfFindings;
}
