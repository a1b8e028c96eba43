/** Stream id that both SDK lines give to the standalone GET stream. */
export const STANDALONE_STREAM = '_GET_stream';

/**
 * The event store of the official TypeScript SDK, by shape: `EventStore` of `@modelcontextprotocol/sdk` 1.x and
 * of `@modelcontextprotocol/server` 2.x both fit. `M` is the SDK's JSON-RPC message type.
 */
export interface EventStoreLike<M> {
  storeEvent(streamId: string, message: M): Promise<string>;
  getStreamIdForEventId?(eventId: string): Promise<string | undefined>;
  replayEventsAfter(lastEventId: string, context: { send: (eventId: string, message: M) => Promise<void> }): Promise<string>;
}
