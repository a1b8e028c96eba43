import {
  type EffectType,
  type Evidence,
  type Incident,
  type IncidentBook,
  type IncidentEffect,
  keyOf,
  QUIET_AFTER_MS,
  REOPENED_WITHIN_MS,
  RESOLVED_AFTER_MS,
} from '@/lib/incidents/incident';
import { addEvidence, NO_TOLL, severityOf, worse } from '@/lib/incidents/toll';

/**
 * Takes all incidents to `now` with what came in since. Each piece of evidence is given once, in any order.
 *
 * Guarantees: an incident is opened before anything else is told of it; it is quieted only while open, resolved
 * only while quiet or by a person, reopened only when it was one of these; its severity never falls. Time never
 * runs backwards: evidence from after `now` counts as of `now`.
 */
export function advanceIncidents(book: IncidentBook, evidence: readonly Evidence[], now: number): [IncidentBook, IncidentEffect[]] {
  const instant = Math.max(now, book.now);
  const incidents = new Map(Object.entries(book.incidents));
  const effects: IncidentEffect[] = [];
  const put = (incident: Incident, type: EffectType | null, at: number): void => {
    incidents.set(incident.key, incident);
    if (type !== null) effects.push({ type, at, incident });
  };
  for (const piece of [...evidence].sort((a, b) => a.at - b.at)) {
    const at = Math.min(piece.at, instant);
    const key = routeOf(book, incidents, piece);
    const known = incidents.get(key);
    if (known === undefined || isForgotten(known, at)) put(opened(key, piece, at), 'opened', at);
    else takeEvidence(settle(known, at, put), piece, at, put);
  }
  for (const incident of incidents.values()) settle(incident, instant, put);
  return [{ ...book, now: instant, incidents: Object.fromEntries(incidents) }, effects];
}

type Put = (incident: Incident, type: EffectType | null, at: number) => void;

/** The incident that a piece of evidence belongs to, along past splits and merges. */
function routeOf(book: IncidentBook, incidents: ReadonlyMap<string, Incident>, { cause, server, session }: Evidence): string {
  let key = keyOf(cause, server);
  const seen = new Set<string>();
  while (!seen.has(key)) {
    seen.add(key);
    const part = session === null ? undefined : book.split[key]?.[session];
    key = part ?? incidents.get(key)?.mergedInto ?? key;
  }
  return key;
}

const isForgotten = (incident: Incident, at: number): boolean =>
  incident.state === 'resolved' && incident.settledAt !== null && at - incident.settledAt > REOPENED_WITHIN_MS;

function opened(key: string, evidence: Evidence, at: number): Incident {
  const toll = addEvidence(NO_TOLL, evidence);
  return {
    key,
    server: evidence.server,
    cause: evidence.cause,
    state: 'open',
    severity: worse(severityOf(evidence.cause, toll), evidence.severity),
    openedAt: at,
    lastEvidenceAt: at,
    settledAt: null,
    reopened: 0,
    mergedInto: null,
    toll,
  };
}

function takeEvidence(incident: Incident, evidence: Evidence, at: number, put: Put): void {
  const toll = addEvidence(incident.toll, evidence);
  const severity = worse(incident.severity, worse(severityOf(incident.cause, toll), evidence.severity));
  const seen = { ...incident, toll, lastEvidenceAt: Math.max(incident.lastEvidenceAt, at) };
  const isLate = incident.settledAt !== null && at <= incident.settledAt;
  const isReopened = incident.state !== 'open' && !isLate;
  const current: Incident = isReopened ? { ...seen, state: 'open', settledAt: null, reopened: incident.reopened + 1 } : seen;
  put(current, isReopened ? 'reopened' : null, at);
  if (severity !== incident.severity) put({ ...current, severity }, 'escalated', at);
}

/** What the passing of time alone does. The instants are those at which it fell due, not when it was noticed. */
function settle(incident: Incident, now: number, put: Put): Incident {
  let current = incident;
  if (current.mergedInto !== null) return current;
  if (current.state === 'open' && now - current.lastEvidenceAt >= QUIET_AFTER_MS) {
    const at = current.lastEvidenceAt + QUIET_AFTER_MS;
    current = { ...current, state: 'quiet', settledAt: at };
    put(current, 'quieted', at);
  }
  if (current.state === 'quiet' && current.settledAt !== null && now - current.settledAt >= RESOLVED_AFTER_MS) {
    const at = current.settledAt + RESOLVED_AFTER_MS;
    current = { ...current, state: 'resolved', settledAt: at };
    put(current, 'resolved', at);
  }
  return current;
}
