import type { Evidence } from '@/lib/incidents/incident';
import { worse } from '@/lib/incidents/toll';

/**
 * Evidence of one kind about one session as one piece: a storm of faulty resumes is kept and counted at the cost of
 * its sessions. Counts add up; the instant is the newest.
 */
export function gatherEvidence(pieces: Iterable<Evidence>): Evidence[] {
  const gathered = new Map<string, Evidence>();
  for (const piece of pieces) {
    const key = JSON.stringify([piece.server, piece.cause, piece.session, piece.finding, piece.events?.of ?? null]);
    const known = gathered.get(key);
    gathered.set(key, known === undefined ? piece : joined(known, piece));
  }
  return [...gathered.values()];
}

function joined(a: Evidence, b: Evidence): Evidence {
  return {
    ...a,
    at: Math.max(a.at, b.at),
    severity: worse(a.severity, b.severity),
    attempts: a.attempts + b.attempts,
    events:
      a.events === null || b.events === null
        ? a.events
        : { ...a.events, count: a.events.count + b.events.count, exact: a.events.exact && b.events.exact },
    callsLost: a.callsLost + b.callsLost,
    callsDoubled: a.callsDoubled + b.callsDoubled,
  };
}
