import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RpcId } from '../ledger/stream-call.js';
import type { Refusal } from './refusal.js';

const PREFIX = 'tidemark-end.';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/**
 * Ids of the events that end a refused stream. An id proves itself under the session's token, so nothing has to
 * be remembered; with a shared secret every replica knows the ids of the others.
 */
export class TerminalIds {
  constructor(private readonly secret: string) {}

  mint(token: string): string {
    const nonce = randomBytes(9).toString('base64url');
    return `${PREFIX}${nonce}.${this.#proof(token, nonce)}`;
  }

  has(token: string, id: string): boolean {
    if (!id.startsWith(PREFIX)) return false;
    const [nonce = '', given = '', ...rest] = id.slice(PREFIX.length).split('.');
    const [proof, claim] = [Buffer.from(this.#proof(token, nonce)), Buffer.from(given)];
    return rest.length === 0 && proof.length === claim.length && timingSafeEqual(proof, claim);
  }

  #proof(token: string, nonce: string): string {
    return createHmac('sha256', this.secret).update(`terminal\0${token}\0${nonce}`).digest('base64url').slice(0, 22);
  }
}

/**
 * The refusal as an event stream: one error response to the pending request, then the end. Today's clients fail
 * the call on it at once, where a bare status leaves it to its own timeout.
 */
export function asTerminalEvent(refusal: Refusal, requestId: RpcId, eventId: string): Refusal {
  const message = JSON.stringify({ jsonrpc: '2.0', id: requestId, error: refusal.error });
  return { ...refusal, status: 200, headers: STREAM_HEADERS, body: `id: ${eventId}\nevent: message\ndata: ${message}\n\n` };
}
