export { authorizeReplay, type ReplaySession, ResumptionTokenError } from './authorize-replay.js';
export { type GuardResumeOptions, guardResume } from './guard/guard-resume.js';
export type { RefusalStyle } from './guard/resume-guard.js';
export { ResumeGapError } from './log/resume-gap-error.js';
export {
  type EvictionCause,
  type EvictionListener,
  type ResumedRun,
  SessionEventLog,
  type SessionEventLogOptions,
} from './log/session-event-log.js';
export type { LogEvent } from './log/stream-events.js';
export type { JsonPosition, PositionLike } from './position.js';
export type { SpoolOptions } from './spool/spool.js';
export { type EventStoreLike, STANDALONE_STREAM } from './store/event-store.js';
export { eventStoreOf, type LookupEventStore } from './store/log-event-store.js';
export type { ObservedEventStore } from './store/observed-event-store.js';
export type { ResumeAttemptRecord, TelemetryRecord } from './telemetry/record.js';
export type { TelemetryProblem, TelemetryStats } from './telemetry/stats.js';
export { createTidemark, type ObserveOptions, type Tidemark, type TidemarkOptions } from './tidemark.js';
export type { Decision, FloorRule, Reason, SessionState } from './verdict/facts.js';
