export type RpcId = string | number;

/**
 * The request that a stream answers, as far as its client is concerned: pending until the client has the event
 * that holds the answer, whether or not the server has long produced it.
 */
export class StreamCall {
  #answeredAt = Number.POSITIVE_INFINITY;

  constructor(readonly requestId: RpcId) {}

  /** Notes an event of the stream; an answer to the request settles it for every client that has come so far. */
  note(position: number, message: unknown): void {
    if (isAnswer(message, this.requestId)) this.#answeredAt = Math.min(this.#answeredAt, position);
  }

  /** Whether a client whose newest event is at `position` still waits for the answer. */
  isPendingAfter(position: number): boolean {
    return position < this.#answeredAt;
  }
}

function isAnswer(message: unknown, requestId: RpcId): boolean {
  if (message === null || typeof message !== 'object' || !('id' in message)) return false;
  return message.id === requestId && !('method' in message) && ('result' in message || 'error' in message);
}
