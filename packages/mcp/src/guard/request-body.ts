import type { RpcId } from '../ledger/stream-call.js';
import { type RequestFacts, requestFacts, soleRequestId } from '../telemetry/rpc-facts.js';
import { isText, parsed } from './answer-watch.js';

/** A longer body is read at once and not held on to. */
const HELD_LENGTH_MAX = 16 * 1024;

/** The body of a request, unread for as long as nobody asks for its facts. */
export class RequestBody {
  /** Its JSON text; null where it was read at once, or there is none. */
  text: string | Buffer | null = null;
  /** Id of the call that it makes; null where it makes none, or nobody settles calls. */
  callId: RpcId | null = null;
  #facts: RequestFacts | null = null;

  /** @param settlesCalls whether the id of the call is wanted */
  take(value: unknown, settlesCalls: boolean): void {
    const text = isText(value) ? value : JSON.stringify(value);
    if (settlesCalls) this.callId = soleRequestId(parsed(text));
    if (text.length <= HELD_LENGTH_MAX) this.text = text;
    else this.#facts = requestFacts(parsed(text));
  }

  get facts(): RequestFacts | null {
    if (this.#facts === null && this.text !== null) this.#facts = requestFacts(parsed(this.text));
    return this.#facts;
  }

  /** Its facts, where they had to be read without being asked for. */
  get factsAlone(): RequestFacts | null {
    return this.text === null ? this.#facts : null;
  }
}
