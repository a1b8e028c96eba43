import { err, ok, type Result } from '@/lib/base/result';
import type { Incident, IncidentBook, IncidentEffect } from '@/lib/incidents/incident';
import { joinTolls, NO_TOLL, severityOf, worse } from '@/lib/incidents/toll';

/** Why a person's action has no place here. */
export interface ActionProblem {
  readonly code:
    | 'incident_not_found'
    | 'incident_merged'
    | 'incident_same'
    | 'incident_other_server'
    | 'session_not_found'
    | 'incident_would_be_empty';
  readonly message: string;
}
export type Acted = Result<readonly [IncidentBook, readonly IncidentEffect[]], ActionProblem>;

/** A person says that it is over. Evidence from later than `now` opens it again. */
export function resolveIncident(book: IncidentBook, key: string, now: number): Acted {
  const found = activeIncident(book, key);
  if (!found.ok) return found;
  if (found.value.state === 'resolved') return ok([book, []]);
  const at = Math.max(now, book.now);
  const incident: Incident = { ...found.value, state: 'resolved', settledAt: at };
  return ok([withIncidents(book, at, incident), [{ type: 'resolved', at, incident }]]);
}

/** A person says that it is not over. */
export function reopenIncident(book: IncidentBook, key: string, now: number): Acted {
  const found = activeIncident(book, key);
  if (!found.ok) return found;
  if (found.value.state === 'open') return ok([book, []]);
  const at = Math.max(now, book.now);
  const incident: Incident = { ...found.value, state: 'open', settledAt: null, lastEvidenceAt: at, reopened: found.value.reopened + 1 };
  return ok([withIncidents(book, at, incident), [{ type: 'reopened', at, incident }]]);
}

/** One incident takes over what another counted and every later piece of its evidence. Both are of one server. */
export function mergeIncidents(book: IncidentBook, from: string, into: string, now: number): Acted {
  if (from === into) return refuse('incident_same', 'an incident cannot be merged into itself');
  const source = activeIncident(book, from);
  const target = activeIncident(book, into);
  if (!source.ok) return source;
  if (!target.ok) return target;
  if (source.value.server !== target.value.server) return refuse('incident_other_server', 'both incidents must be of one server');
  const at = Math.max(now, book.now);
  const toll = joinTolls(target.value.toll, source.value.toll);
  const merged: Incident = {
    ...target.value,
    toll,
    openedAt: Math.min(target.value.openedAt, source.value.openedAt),
    lastEvidenceAt: Math.max(target.value.lastEvidenceAt, source.value.lastEvidenceAt),
    severity: worse(worse(target.value.severity, source.value.severity), severityOf(target.value.cause, toll)),
  };
  const closed: Incident = { ...source.value, state: 'resolved', settledAt: at, mergedInto: into, toll: NO_TOLL };
  const effects: IncidentEffect[] = [{ type: 'resolved', at, incident: closed }];
  if (merged.severity !== target.value.severity) effects.push({ type: 'escalated', at, incident: merged });
  return ok([withIncidents(book, at, closed, merged), effects]);
}

/**
 * Some sessions become an incident of their own, which their later evidence goes to. What was counted stays where
 * it was, since counts are not kept by session; only the sessions move.
 */
export function splitIncident(book: IncidentBook, key: string, sessions: readonly string[], now: number): Acted {
  const found = activeIncident(book, key);
  if (!found.ok) return found;
  const { toll } = found.value;
  const stranger = sessions.find((session) => !toll.sessions.includes(session));
  if (stranger !== undefined || sessions.length === 0)
    return refuse('session_not_found', 'every session must be one that the incident names');
  const moved = new Set(sessions);
  const stay = toll.sessions.filter((session) => !moved.has(session));
  if (stay.length === 0) return refuse('incident_would_be_empty', 'at least one session must stay');
  const at = Math.max(now, book.now);
  const partKey = freeKey(book, key);
  const rest: Incident = { ...found.value, toll: { ...toll, sessions: stay } };
  const part: Incident = {
    ...found.value,
    key: partKey,
    state: 'open',
    settledAt: null,
    openedAt: at,
    lastEvidenceAt: at,
    reopened: 0,
    toll: { ...NO_TOLL, sessions: [...moved] },
  };
  const routes = { ...book.split[key], ...Object.fromEntries([...moved].map((session) => [session, partKey])) };
  const next = withIncidents({ ...book, split: { ...book.split, [key]: routes } }, at, rest, part);
  return ok([next, [{ type: 'opened', at, incident: part }]]);
}

function activeIncident(book: IncidentBook, key: string): Result<Incident, ActionProblem> {
  const incident = Object.hasOwn(book.incidents, key) ? book.incidents[key] : undefined;
  if (incident === undefined) return refuse('incident_not_found', 'no such incident');
  return incident.mergedInto === null ? ok(incident) : refuse('incident_merged', `it was merged into ${incident.mergedInto}`);
}

const withIncidents = (book: IncidentBook, now: number, ...changed: Incident[]): IncidentBook => ({
  ...book,
  now,
  incidents: { ...book.incidents, ...Object.fromEntries(changed.map((incident) => [incident.key, incident])) },
});

function freeKey(book: IncidentBook, key: string): string {
  let part = 2;
  while (Object.hasOwn(book.incidents, `${key}#${part}`)) part += 1;
  return `${key}#${part}`;
}

const refuse = (code: ActionProblem['code'], message: string): Result<never, ActionProblem> => err({ code, message });
