import { ResumeGapError } from '../log/resume-gap-error.js';
import type { SessionEventLog } from '../log/session-event-log.js';
import type { EventStoreLike } from './event-store.js';

/** An SDK event store that has the lookup and can refuse. */
export type LookupEventStore<M> = EventStoreLike<M> & Required<Pick<EventStoreLike<M>, 'getStreamIdForEventId'>>;

/**
 * Plugs a log into the SDK's transports, 1.x and 2.x. Without `guardResume` a cursor that cannot be served
 * whole is answered by the transport with 400, the only refusal that the interface has; never with a silent 200.
 */
export function eventStoreOf<M>(log: SessionEventLog<M>): LookupEventStore<M> {
  return {
    storeEvent: async (streamId, message) => log.append(streamId, message),
    getStreamIdForEventId: async (eventId) => {
      try {
        return log.resumeFrom(eventId).stream;
      } catch (cause) {
        if (cause instanceof ResumeGapError) return undefined;
        throw cause;
      }
    },
    replayEventsAfter: async (lastEventId, { send }) => {
      let run = log.resumeFrom(lastEventId);
      const { stream } = run;
      // The transport attaches the live tail only after this returns, so what is appended meanwhile is sent here.
      while (run.events.length > 0) {
        let newest = lastEventId;
        for (const event of run.events) {
          await send(event.id, event.message);
          newest = event.id;
        }
        run = log.resumeFrom(newest);
      }
      return stream;
    },
  };
}
