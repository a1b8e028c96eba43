import type { CursorFacts } from '../verdict/cursor-facts.js';
import type { RpcId } from './stream-call.js';

/** Where an event stands in its session. */
export interface EventAt {
  readonly stream: string;
  readonly position: number;
}

/** A log that knows its own events, so that the book of its session need not. */
export interface OwnLog {
  /** What the log knows about a cursor. */
  cursorFacts(eventId: string): CursorFacts;
  /** Where an event of this numbering stands; undefined where it is of another, or forgotten. */
  place(eventId: string): EventAt | undefined;
  /** The request that the place's stream answers and whose answer comes after it; null where there is none. */
  pendingAt(place: EventAt): RpcId | null;
  /** Says which request the stream that holds this event was opened for. */
  openedFor(eventId: string, requestId: RpcId): void;
}
