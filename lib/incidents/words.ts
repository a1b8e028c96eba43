import { type Cause, eventsOf, type Incident, type Toll } from '@/lib/incidents/incident';

const WHAT: Readonly<Record<Cause, string>> = {
  skipped_events: 'loses events in silence',
  former_generation: 'serves cursors of a former generation from another log',
  unknown_cursor: 'resumes cursors that it cannot place',
  cross_session_replay: "replays one session's events into another",
  doubled_calls: 'is sent calls again whose answer could have been replayed',
  resume_unavailable: 'refuses more resumes than it used to',
  reconnect_storm: 'is reconnected to in a loop',
  blind: 'does not report enough to judge its resumes',
};

const NEXT_STEP: Readonly<Record<Cause, string>> = {
  skipped_events: 'Refuse a cursor whose successor is no longer retained, or put the route into enforce mode.',
  former_generation: 'Start a new generation when a log is rebuilt, and refuse cursors of any other.',
  unknown_cursor: 'Refuse a cursor that was not issued on this stream.',
  cross_session_replay: 'Stop resumption on this server until its store is keyed by session: it discloses data.',
  doubled_calls: 'Let clients resume the stream of the answer before they call again, and mark calls that may be repeated as idempotent.',
  resume_unavailable: 'Retain what clients need, or find out why they stay away longer.',
  reconnect_storm: 'Answer with a refusal that the client understands, and look for what cuts its connections.',
  blind: 'Report the missing facts that the attempts name.',
};

/** One line that names server and fault. */
export const incidentTitle = ({ server, cause }: Incident): string => `${server} ${WHAT[cause]}`;

export const incidentNextStep = ({ cause }: Incident): string => NEXT_STEP[cause];

/** What it cost so far, in one sentence: `412 events lost in 31 sessions since 2025-12-01 02:14 UTC.` */
export function incidentSentence(incident: Incident): string {
  const { toll } = incident;
  const events = eventsOf(toll);
  const parts: string[] = [];
  if (events > 0n)
    parts.push(
      `${toll.eventsAtLeast ? 'at least ' : ''}${counted(events, 'event')} ${incident.cause === 'cross_session_replay' ? 'disclosed' : 'lost'}`,
    );
  if (toll.callsLost > 0) parts.push(`${counted(toll.callsLost, 'answer')} never delivered`);
  if (toll.callsDoubled > 0) parts.push(`${counted(toll.callsDoubled, 'call')} possibly run twice`);
  if (parts.length === 0) parts.push(toll.attempts > 0 ? counted(toll.attempts, WITHOUT_LOSS[incident.cause]) : findingsOf(toll));
  const sessions = toll.sessions.length;
  const where = sessions === 0 ? '' : ` in ${toll.sessionsAtLeast ? 'at least ' : ''}${counted(sessions, 'session')}`;
  // An imported history may carry no clock at all.
  const since = incident.openedAt === 0 ? '' : ` since ${new Date(incident.openedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${sentenceCase(parts.join(', '))}${where}${since}.`;
}

const WITHOUT_LOSS: Readonly<Record<Cause, string>> = {
  skipped_events: 'unsafe resume',
  former_generation: 'unsafe resume',
  unknown_cursor: 'unsafe resume',
  cross_session_replay: 'replay',
  doubled_calls: 'call',
  resume_unavailable: 'refusal',
  reconnect_storm: 'reconnect',
  blind: 'attempt without a verdict',
};

/** What is known from findings alone, which count connections where attempts are not seen. */
const findingsOf = ({ findings }: Toll): string =>
  counted(
    Object.values(findings).reduce((sum, count) => sum + count, 0),
    'finding',
  );

function counted(count: bigint | number, noun: string): string {
  const [head = noun, ...rest] = noun.split(' ');
  const one = BigInt(count) === 1n;
  const plural = rest[0] === 'without' ? [`${head}s`, ...rest].join(' ') : `${noun}s`;
  return `${BigInt(count).toLocaleString('en')} ${one ? noun : plural}`;
}

const sentenceCase = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
