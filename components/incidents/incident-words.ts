import { sinceWords } from '@/components/format/instant';
import type { Severity } from '@/lib/audit/finding';
import type { IncidentItem, IncidentLog } from '@/lib/incidents/answer-schema';
import type { Mark } from '@/lib/resume/mark';

/** The mark an incident is drawn with, by how bad it is. */
export function markOfIncident({ state, severity }: { readonly state: IncidentItem['state']; readonly severity: Severity }): Mark {
  if (state === 'resolved') return 'fresh';
  return severity === 'critical' ? 'unsafe_resume' : severity === 'error' ? 'bad_replay' : 'refused';
}

/** State and severity in two words: `open, critical`. */
export const stateWords = ({ state, severity }: Pick<IncidentItem, 'state' | 'severity'>): string => `${state}, ${severity}`;

/** A short name for an incident: its id's beginning, never its case changed. */
export const incidentName = (id: string): string => `INC-${id.slice(0, 6)}`;

/** An entry of the log in one sentence. */
export function logWords({ type, actor, detail }: IncidentLog['items'][number]): string {
  const who = actor === null ? 'Tidemark' : actor;
  const members = typeof detail === 'object' && detail !== null ? Object.entries(detail) : [];
  const text = members.find(([name]) => name === 'text')?.[1];
  if (type === 'comment' || type === 'commented') return `${who}: ${typeof text === 'string' ? text : ''}`;
  const more = members.flatMap(([name, value]) => wordsOf(name, value));
  return `${who} ${VERBS[type] ?? type.replaceAll('_', ' ')}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

const VERBS: Readonly<Record<string, string>> = {
  opened: 'opened it',
  escalated: 'raised its severity',
  quieted: 'found it quiet',
  reopened: 'opened it again',
  resolved: 'resolved it',
  imported: 'imported it',
  edited: 'changed it',
  merged: 'merged it',
  split: 'split sessions off',
  replayed: 'did it again',
};

function wordsOf(name: string, value: unknown): string[] {
  if (value === null || value === undefined || typeof value === 'object') return [];
  return [`${name.replaceAll('_', ' ')} ${String(value)}`];
}

/** When something was last seen: the instant, and its day when that is not today. */
export const seenWords = (at: string, nowMs: number): string => sinceWords(Date.parse(at), nowMs);
