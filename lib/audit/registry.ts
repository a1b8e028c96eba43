import type { FindingCode } from '@/lib/audit/finding';
import type { Rule } from '@/lib/audit/rule';
import { abandonedSessions } from '@/lib/audit/rules/abandoned-sessions';
import { activeSessionExpired } from '@/lib/audit/rules/active-session-expired';
import { ambiguousCursor } from '@/lib/audit/rules/ambiguous-cursor';
import { crossGenerationReplay } from '@/lib/audit/rules/cross-generation-replay';
import { crossSessionReplay } from '@/lib/audit/rules/cross-session-replay';
import { crossStreamReplay } from '@/lib/audit/rules/cross-stream-replay';
import { cursorLost } from '@/lib/audit/rules/cursor-lost';
import { cursorNotHonoured } from '@/lib/audit/rules/cursor-not-honoured';
import { disguisedRefusal } from '@/lib/audit/rules/disguised-refusal';
import { duplicate } from '@/lib/audit/rules/duplicate';
import { gap } from '@/lib/audit/rules/gap';
import { headerStripped } from '@/lib/audit/rules/header-stripped';
import { idCollision } from '@/lib/audit/rules/id-collision';
import { idNotAdvancing } from '@/lib/audit/rules/id-not-advancing';
import { idReused } from '@/lib/audit/rules/id-reused';
import { idleCut } from '@/lib/audit/rules/idle-cut';
import { idsNotOnWire } from '@/lib/audit/rules/ids-not-on-wire';
import { lostResponse } from '@/lib/audit/rules/lost-response';
import { missignalledCaughtUp } from '@/lib/audit/rules/missignalled-caught-up';
import { orphanedStream } from '@/lib/audit/rules/orphaned-stream';
import { overRefusal } from '@/lib/audit/rules/over-refusal';
import { partialSessionLoss } from '@/lib/audit/rules/partial-session-loss';
import { possibleDuplicateExecution } from '@/lib/audit/rules/possible-duplicate-execution';
import { reconnectLoop } from '@/lib/audit/rules/reconnect-loop';
import { routeNotFound } from '@/lib/audit/rules/route-not-found';
import { sessionAdopted } from '@/lib/audit/rules/session-adopted';
import { sessionLossIgnored } from '@/lib/audit/rules/session-loss-ignored';
import { silentClient } from '@/lib/audit/rules/silent-client';
import { staleSessionLoop } from '@/lib/audit/rules/stale-session-loop';
import { stalledDelivery } from '@/lib/audit/rules/stalled-delivery';
import { streamFlap } from '@/lib/audit/rules/stream-flap';
import { suppressedLiveEvents } from '@/lib/audit/rules/suppressed-live-events';
import { unansweredResume } from '@/lib/audit/rules/unanswered-resume';
import { usedClearedCursor } from '@/lib/audit/rules/used-cleared-cursor';
import { wrongStatus } from '@/lib/audit/rules/wrong-status';
import { zombieHolder } from '@/lib/audit/rules/zombie-holder';

/** Every rule, one per code. */
export const RULES: readonly Rule[] = [
  gap,
  lostResponse,
  missignalledCaughtUp,
  cursorLost,
  idsNotOnWire,
  stalledDelivery,
  duplicate,
  cursorNotHonoured,
  possibleDuplicateExecution,
  crossGenerationReplay,
  crossStreamReplay,
  crossSessionReplay,
  idReused,
  idCollision,
  idNotAdvancing,
  ambiguousCursor,
  overRefusal,
  wrongStatus,
  disguisedRefusal,
  unansweredResume,
  reconnectLoop,
  streamFlap,
  staleSessionLoop,
  orphanedStream,
  zombieHolder,
  sessionAdopted,
  activeSessionExpired,
  sessionLossIgnored,
  partialSessionLoss,
  abandonedSessions,
  routeNotFound,
  silentClient,
  idleCut,
  headerStripped,
  usedClearedCursor,
  suppressedLiveEvents,
];

type Moment = Exclude<keyof Rule, 'code'>;
type Seen<K extends Moment> = { readonly code: FindingCode; readonly isOfSilence: boolean; readonly see: NonNullable<Rule[K]> };

function seeing<K extends Moment>(moment: K): Seen<K>[] {
  const seen: Seen<K>[] = [];
  for (const rule of RULES) {
    const see = rule[moment];
    if (see !== undefined) seen.push({ code: rule.code, isOfSilence: rule.isOfSilence ?? false, see });
  }
  return seen;
}

/** For every moment the rules that look at it. */
export const moments = {
  emitted: seeing('emitted'),
  delivered: seeing('delivered'),
  attempted: seeing('attempted'),
  opened: seeing('opened'),
  ended: seeing('ended'),
  requested: seeing('requested'),
  sessionChanged: seeing('sessionChanged'),
  clientSaid: seeing('clientSaid'),
  sessionAtEnd: seeing('sessionAtEnd'),
  serverAtEnd: seeing('serverAtEnd'),
} as const;
