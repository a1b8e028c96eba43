import type { RpcId } from '../ledger/stream-call.js';
import { soleRequestId } from '../telemetry/rpc-facts.js';

/** The head of an answer, which is read only where it is wanted. */
export interface AnswerHead {
  header(name: string): string | null;
}

/** What is told of one HTTP request and its answer while both pass. Nothing here touches what passes. */
export interface AnswerWatch {
  /** The body of a POST, parsed or as its text or bytes, as soon as it is known. Bytes stay as they are. */
  body(value: unknown): void;
  /** The status line went out. */
  head(status: number, head: AnswerHead): void;
  /** Bytes of the body went out; they may change later. */
  chunk(bytes: Uint8Array | string): void;
  /** The answer is over; `client` when the other side left first. Only the first call counts. */
  end(by: 'client' | 'server'): void;
}

const EVENT_ID = /^id: ?(.+)$/m;
/** Whole lines only: what follows may be cut anywhere. */
const EARLY_EVENT_ID = /^id: ?(.+)\r?\n/m;
const ID_LINE = Buffer.from('id: ');
const LF = 10;
/** An id mostly comes before the data, which may be long. */
const EARLY_LENGTH = 128;

/** The first event id in a piece of an event stream; null where there is none. */
export function firstEventId(piece: Uint8Array | string): string | null {
  const early = EARLY_EVENT_ID.exec(textOf(piece.length <= EARLY_LENGTH ? piece : head(piece)));
  return (early ?? EVENT_ID.exec(textOf(piece)))?.[1]?.trimEnd() ?? null;
}

/** Whether the first event of a piece has this id, said in one of its first two lines; false where that takes reading. */
export function beginsWithEvent(piece: Uint8Array | string, id: string): boolean {
  if (typeof piece === 'string') return false;
  const at = piece[0] === ID_LINE[0] ? 0 : piece.indexOf(LF) + 1;
  for (let n = 0; n < ID_LINE.length; n++) if (piece[at + n] !== ID_LINE[n]) return false;
  const start = at + ID_LINE.length;
  for (let n = 0; n < id.length; n++) if (piece[start + n] !== id.charCodeAt(n)) return false;
  return piece[start + id.length] === LF;
}

function head(piece: Uint8Array | string): Uint8Array | string {
  return typeof piece === 'string' ? piece.slice(0, EARLY_LENGTH) : piece.subarray(0, EARLY_LENGTH);
}

export function textOf(bytes: Uint8Array | string): string {
  if (typeof bytes === 'string') return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Whether a body is still unread: text, or its bytes. */
export const isText = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body);

/** JSON that may come as text or bytes; undefined where it is none. */
export function parsed(body: unknown): unknown {
  if (!isText(body)) return body;
  try {
    return JSON.parse(textOf(body));
  } catch {
    // A body that is no JSON has no facts; the handler answers for it.
    return undefined;
  }
}

/** Tells two of the same exchange. */
export function both(one: AnswerWatch, other: AnswerWatch): AnswerWatch {
  return {
    body: (value) => {
      one.body(value);
      other.body(value);
    },
    head: (status, head) => {
      one.head(status, head);
      other.head(status, head);
    },
    chunk: (bytes) => {
      one.chunk(bytes);
      other.chunk(bytes);
    },
    end: (by) => {
      one.end(by);
      other.end(by);
    },
  };
}

/** Learns which stream answers which request, for a guard that reports nothing. Nothing here throws into a server. */
export class CallWatch implements AnswerWatch {
  #requestId: RpcId | null = null;
  #isStream = false;

  /** @param openedFor may throw, as what asks a session's log may */
  constructor(private readonly openedFor: (eventId: string, requestId: RpcId) => void) {}

  body(value: unknown): void {
    this.#requestId = soleRequestId(parsed(value));
  }

  head(_status: number, head: AnswerHead): void {
    this.#isStream = head.header('content-type')?.startsWith('text/event-stream') ?? false;
  }

  chunk(bytes: Uint8Array | string): void {
    if (!this.#isStream || this.#requestId === null) return;
    const eventId = firstEventId(bytes);
    if (eventId === null) return;
    try {
      this.openedFor(eventId, this.#requestId);
      this.#isStream = false;
    } catch {
      // A log that cannot be asked is asked again with the next event; the answer that goes out is not its concern.
    }
  }

  end(): void {
    // There is nothing to tell.
  }
}
