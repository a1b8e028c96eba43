export { authorizeReplay, type ReplaySession, ResumptionTokenError } from './authorize-replay.js';
export { ResumeGapError } from './log/resume-gap-error.js';
export {
  type EvictionCause,
  type EvictionListener,
  type ResumedRun,
  SessionEventLog,
  type SessionEventLogOptions,
  STANDALONE_STREAM,
} from './log/session-event-log.js';
export type { LogEvent } from './log/stream-events.js';
export type { JsonPosition, PositionLike } from './position.js';
export type { EventStoreLike } from './store/event-store.js';
export { eventStoreOf, type LookupEventStore } from './store/log-event-store.js';
export type { Decision, FloorRule, Reason, SessionState } from './verdict/facts.js';
