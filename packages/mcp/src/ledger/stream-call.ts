export type RpcId = string | number;

/**
 * The request that a stream answers, as far as its client is concerned: pending until the client has the event
 * that holds the answer, whether or not the server has long produced it.
 */
export class StreamCall {
  #requestId: RpcId | null = null;
  /** Positions of the answers that the stream holds, by the request's id; made with the first, since many streams have none. */
  #answers: Map<RpcId, number> | null = null;

  /** Notes an event of the stream. */
  note(position: number, message: unknown): void {
    const answered = answeredId(message);
    if (answered === null) return;
    this.#answers ??= new Map();
    if (!this.#answers.has(answered)) this.#answers.set(answered, position);
  }

  /** Says which request the stream was opened for. */
  opened(requestId: RpcId): void {
    this.#requestId ??= requestId;
  }

  /** The request whose answer a client whose newest event is at `position` still waits for. */
  pendingAfter(position: number): RpcId | null {
    const id = this.#requestId;
    return id !== null && position < (this.#answers?.get(id) ?? Number.POSITIVE_INFINITY) ? id : null;
  }
}

function answeredId(message: unknown): RpcId | null {
  if (message === null || typeof message !== 'object' || !('id' in message) || 'method' in message) return null;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
