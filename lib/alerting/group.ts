import type { MissedEpisode } from '@/lib/alerting/catch-up';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Labels } from '@/lib/alerting/labels';
import type { Rule } from '@/lib/alerting/rule';

/** An alert that has ended. */
export interface ClosedAlert {
  readonly labels: Labels;
  readonly openedAtMs: number;
  readonly closedAtMs: number;
}

/** Ended alerts that an episode remembers until its next notice. */
const CLOSED_MAX = 100;

/** From the first notification of a group to its resolve. */
export interface Episode {
  /** When the first of its alerts began to fire. */
  readonly startedAtMs: number;
  /** When it was first told; names the episode, since a group opens one at a time. */
  readonly openedAtMs: number;
  readonly lastSentAtMs: number;
  readonly lastSentCount: number;
  readonly ackedAtMs: number | null;
  readonly ackedBy: string | null;
  readonly escalatedAtMs: number | null;
  /** Alerts that ended since the last notice. */
  readonly closed: readonly ClosedAlert[];
}

/** What has been told about the alerts of one rule that are told together. */
export interface Group {
  readonly rule: string;
  readonly key: string;
  /** Since when something waits to be told; null when nothing does. */
  readonly waitingSinceMs: number | null;
  readonly episode: Episode | null;
}

export const NOTICE_KINDS = ['open', 'update', 'repeat', 'escalate', 'resolve', 'missed'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something to tell. `escalated` says whether the second channels have been told of this episode. */
export interface Notice {
  readonly kind: NoticeKind;
  /** `openedAtMs` of the episode. */
  readonly episode: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly firing: readonly Instance[];
  readonly closed: readonly ClosedAlert[];
  readonly escalated: boolean;
}

/** The alerts of a group at one instant. `visible` are to be told; `held` fire too, but are silenced or inhibited. */
export interface GroupView {
  readonly visible: readonly Instance[];
  readonly held: readonly Instance[];
  /** Alerts that ended at this instant. */
  readonly closed: readonly ClosedAlert[];
  /** Alerts that came and went unevaluated, without those that are silenced. */
  readonly missed: readonly MissedEpisode[];
}

export type Timing = Pick<Rule, 'groupWaitMs' | 'groupIntervalMs' | 'repeatMs' | 'escalate'>;

export const newGroup = (rule: string, key: string): Group => ({ rule, key, waitingSinceMs: null, episode: null });

/**
 * Takes what was told about a group one instant further; at most one notice.
 *
 * An episode opens once and resolves once, whatever is silenced between: a silence holds back openings, updates
 * and repeats, never the resolve of something that was told. What resolves before it was told is not told.
 */
export function advanceGroup(group: Group, view: GroupView, timing: Timing, nowMs: number): [Group, Notice | null] {
  if (group.episode !== null) return advanceEpisode(group, group.episode, view, timing, nowMs);
  if (view.visible.length === 0) return notTold(group, view, nowMs);
  const waitingSinceMs = group.waitingSinceMs ?? nowMs;
  if (nowMs - waitingSinceMs < timing.groupWaitMs) return [{ ...group, waitingSinceMs }, null];
  const episode: Episode = {
    startedAtMs: earliest(view.visible, nowMs),
    openedAtMs: nowMs,
    lastSentAtMs: nowMs,
    lastSentCount: view.visible.length,
    ackedAtMs: null,
    ackedBy: null,
    escalatedAtMs: null,
    closed: [],
  };
  return [{ ...group, waitingSinceMs: null, episode }, notice('open', episode, view)];
}

function advanceEpisode(group: Group, known: Episode, view: GroupView, timing: Timing, nowMs: number): [Group, Notice | null] {
  const episode = view.closed.length === 0 ? known : { ...known, closed: [...known.closed, ...view.closed].slice(-CLOSED_MAX) };
  if (view.visible.length + view.held.length === 0)
    return [
      { ...group, waitingSinceMs: null, episode: null },
      { ...notice('resolve', episode, view), endedAtMs: nowMs },
    ];
  // Silenced whole: nothing is told, and nothing has ended.
  if (view.visible.length === 0) return [{ ...group, episode }, null];
  if (isEscalationDue(episode, timing, nowMs)) {
    const escalated = { ...sent(episode, view, nowMs), escalatedAtMs: nowMs };
    return [
      { ...group, episode: escalated },
      { ...notice('escalate', episode, view), escalated: true },
    ];
  }
  const kind = dueKind(episode, view, timing, nowMs);
  if (kind === null) return [{ ...group, episode }, null];
  return [{ ...group, episode: sent(episode, view, nowMs) }, notice(kind, episode, view)];
}

function dueKind(episode: Episode, view: GroupView, timing: Timing, nowMs: number): 'update' | 'repeat' | null {
  const since = nowMs - episode.lastSentAtMs;
  const hasGrown =
    view.visible.length > episode.lastSentCount || view.visible.some(({ openedAtMs }) => (openedAtMs ?? 0) > episode.lastSentAtMs);
  if (hasGrown && since >= timing.groupIntervalMs) return 'update';
  return episode.ackedAtMs === null && since >= timing.repeatMs ? 'repeat' : null;
}

const isEscalationDue = (episode: Episode, { escalate }: Timing, nowMs: number): boolean =>
  escalate !== null && episode.ackedAtMs === null && episode.escalatedAtMs === null && nowMs - episode.openedAtMs >= escalate.afterMs;

const sent = (episode: Episode, view: GroupView, nowMs: number): Episode => ({
  ...episode,
  lastSentAtMs: nowMs,
  lastSentCount: view.visible.length,
  closed: [],
});

/** Nothing fires that may be told. What came and went unevaluated is told once, as something that is over. */
function notTold(group: Group, view: GroupView, nowMs: number): [Group, Notice | null] {
  const idle = group.waitingSinceMs === null ? group : { ...group, waitingSinceMs: null };
  const [first] = view.missed;
  if (first === undefined || view.held.length > 0) return [idle, null];
  const startedAtMs = view.missed.reduce((least, { openedAtMs }) => Math.min(least, openedAtMs), first.openedAtMs);
  const endedAtMs = view.missed.reduce((most, { closedAtMs }) => Math.max(most, closedAtMs), first.closedAtMs);
  return [
    idle,
    { kind: 'missed', episode: nowMs, startedAtMs, endedAtMs, firing: [], closed: view.missed.slice(-CLOSED_MAX), escalated: false },
  ];
}

const notice = (kind: NoticeKind, episode: Episode, view: GroupView): Notice => ({
  kind,
  episode: episode.openedAtMs,
  startedAtMs: episode.startedAtMs,
  endedAtMs: null,
  firing: view.visible,
  closed: episode.closed,
  escalated: episode.escalatedAtMs !== null,
});

const earliest = (instances: readonly Instance[], fallback: number): number =>
  instances.reduce((least, { openedAtMs }) => Math.min(least, openedAtMs ?? fallback), fallback);

/** Notes that somebody has taken the episode on; null when that episode is over or was acknowledged before. */
export function acknowledge(group: Group, openedAtMs: number, by: string, nowMs: number): Group | null {
  const { episode } = group;
  if (episode === null || episode.openedAtMs !== openedAtMs || episode.ackedAtMs !== null) return null;
  return { ...group, episode: { ...episode, ackedAtMs: nowMs, ackedBy: by } };
}
