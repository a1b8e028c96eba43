import type { TelemetrySink } from '@/lib/proxy/telemetry';
import { judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

/** How much of its traffic a route reports. Resume attempts and restarts are reported in any case. */
export type RouteTelemetry = 'everything' | 'flight' | 'sampled';

/** Records of one quiet session that are kept at hand; the oldest go first. */
export const FLIGHT_RECORDS_MAX = 500;
/** Sessions whose records are kept at hand; the one that was silent longest goes first. */
const FLIGHT_SESSIONS_MAX = 5_000;

/** How the records of a server and session are told; the session is its token. */
export interface TelemetryPlan {
  readonly of: (server: string) => RouteTelemetry;
  /** Whether a session of a sampled server is one of those that are told whole. */
  readonly isSampled: (server: string, session: string) => boolean;
}

/**
 * Leaves out what nobody asked for. A session of a `flight` route is kept at hand until something goes wrong with one of
 * its resumes; then it is told whole, as far back as it is held, and goes on to be told. Order within a session stays.
 */
export function thinnedSink(sink: TelemetrySink, plan: TelemetryPlan): TelemetrySink {
  const held = new Map<string, TelemetryRecord[]>();
  const told = new Set<string>();
  const toldOf = (record: TelemetryRecord): readonly TelemetryRecord[] => {
    const { server = '', session } = record;
    if (session == null) return [record];
    switch (plan.of(server)) {
      case 'everything':
        return [record];
      case 'sampled':
        return record.type === 'resume_attempt' || plan.isSampled(server, session) ? [record] : [];
      case 'flight':
        return flown(record, `${server} ${session}`, held, told);
    }
  };
  return (records) => {
    const out = records.flatMap(toldOf);
    if (out.length > 0) sink(out);
  };
}

function flown(record: TelemetryRecord, key: string, held: Map<string, TelemetryRecord[]>, told: Set<string>): TelemetryRecord[] {
  if (told.has(key)) return [record];
  const recent = held.get(key) ?? [];
  held.delete(key);
  if (record.type === 'resume_attempt') {
    if (isFaultless(record)) {
      held.set(key, recent);
      return [record];
    }
    told.add(key);
    keepBounded(told);
    return [...recent, record];
  }
  if (recent.length >= FLIGHT_RECORDS_MAX) recent.shift();
  recent.push(record);
  held.set(key, recent);
  keepBounded(held);
  return [];
}

/** Whether the attempt was served, and rightly so. */
const isFaultless = (record: ResumeAttemptRecord): boolean =>
  record.verdict === 'resumed' && judgeAttempt(attemptFacts(record), serverAct(record)).assessment === 'correct';

function keepBounded(sessions: Pick<Map<string, unknown>, 'size' | 'keys' | 'delete'> | Set<string>): void {
  const [oldest] = sessions.keys();
  if (sessions.size > FLIGHT_SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest);
}
