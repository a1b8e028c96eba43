import { type FindingCode, SEVERITIES, type Severity } from '@/lib/audit/finding';
import { type Cause, type Evidence, eventsOf, SESSIONS_NAMED_MAX, type Toll } from '@/lib/incidents/incident';

export const NO_TOLL: Toll = {
  attempts: 0,
  sessions: [],
  sessionsAtLeast: false,
  eventsOfAttempts: 0n,
  eventsOfFindings: 0n,
  eventsAtLeast: false,
  callsLost: 0,
  callsDoubled: 0,
  findings: {},
};

/** A toll with one more piece of evidence. */
export function addEvidence(toll: Toll, evidence: Evidence): Toll {
  const { events, session, finding } = evidence;
  return joinTolls(toll, {
    attempts: evidence.attempts,
    sessions: session === null ? [] : [session],
    sessionsAtLeast: false,
    eventsOfAttempts: events?.of === 'attempt' ? events.count : 0n,
    eventsOfFindings: events?.of === 'finding' ? events.count : 0n,
    eventsAtLeast: events !== null && !events.exact,
    callsLost: evidence.callsLost,
    callsDoubled: evidence.callsDoubled,
    findings: finding === null ? {} : { [finding]: 1 },
  });
}

/** Two tolls as one: counts add up, sessions are named once. */
export function joinTolls(a: Toll, b: Toll): Toll {
  const newcomers = b.sessions.filter((session) => !a.sessions.includes(session));
  const room = SESSIONS_NAMED_MAX - a.sessions.length;
  return {
    attempts: a.attempts + b.attempts,
    sessions: newcomers.length === 0 ? a.sessions : [...a.sessions, ...newcomers.slice(0, room)],
    sessionsAtLeast: a.sessionsAtLeast || b.sessionsAtLeast || newcomers.length > room,
    eventsOfAttempts: a.eventsOfAttempts + b.eventsOfAttempts,
    eventsOfFindings: a.eventsOfFindings + b.eventsOfFindings,
    eventsAtLeast: a.eventsAtLeast || b.eventsAtLeast,
    callsLost: a.callsLost + b.callsLost,
    callsDoubled: a.callsDoubled + b.callsDoubled,
    findings: joinCounts(a.findings, b.findings),
  };
}

function joinCounts(a: Toll['findings'], b: Toll['findings']): Toll['findings'] {
  const joined: Partial<Record<FindingCode, number>> = { ...a };
  for (const [code, count] of Object.entries(b) as [FindingCode, number][]) joined[code] = (joined[code] ?? 0) + count;
  return joined;
}

/** Sessions refused or looping from which on an incident is no longer a warning. */
const MANY_SESSIONS = 10;

/**
 * Severity from consequences, not from counts of records: whatever crosses sessions, loses events or an answer, or
 * may run a call twice is critical; a refusal or a loop is a warning until it hits many sessions.
 */
export function severityOf(cause: Cause, toll: Toll): Severity {
  if (cause === 'cross_session_replay' || toll.callsLost > 0 || toll.callsDoubled > 0 || eventsOf(toll) > 0n) return 'critical';
  if (cause === 'skipped_events' || cause === 'former_generation' || cause === 'unknown_cursor') return 'error';
  return cause !== 'blind' && toll.sessions.length >= MANY_SESSIONS ? 'error' : 'warning';
}

export function worse(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b;
}
