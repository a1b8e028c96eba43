import type { RpcId } from '../ledger/stream-call.js';
import { soleRequestId } from '../telemetry/rpc-facts.js';

/** What is told of one HTTP request and its answer while both pass. Nothing here touches what passes. */
export interface AnswerWatch {
  /** The body of a POST, parsed or as text, as soon as it is known. */
  body(value: unknown): void;
  /** The status line went out. */
  head(status: number, header: (name: string) => string | null): void;
  /** Bytes of the body went out. */
  chunk(bytes: Uint8Array | string): void;
  /** The answer is over; `client` when the other side left first. Only the first call counts. */
  end(by: 'client' | 'server'): void;
}

const EVENT_ID = /^id: ?(.+)$/m;

/** The first event id in a piece of an event stream; null where there is none. */
export function firstEventId(text: string): string | null {
  return EVENT_ID.exec(text)?.[1]?.trimEnd() ?? null;
}

export function textOf(bytes: Uint8Array | string): string {
  if (typeof bytes === 'string') return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** JSON that may come as text; undefined where it is none. */
export function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    // A body that is no JSON has no facts; the handler answers for it.
    return undefined;
  }
}

/** Learns which stream answers which request, for a guard that reports nothing. */
export class CallWatch implements AnswerWatch {
  #requestId: RpcId | null = null;
  #isStream = false;

  constructor(private readonly openedFor: (eventId: string, requestId: RpcId) => void) {}

  body(value: unknown): void {
    this.#requestId = soleRequestId(parsed(value));
  }

  head(_status: number, header: (name: string) => string | null): void {
    this.#isStream = header('content-type')?.startsWith('text/event-stream') ?? false;
  }

  chunk(bytes: Uint8Array | string): void {
    if (!this.#isStream || this.#requestId === null) return;
    const eventId = firstEventId(textOf(bytes));
    if (eventId === null) return;
    this.openedFor(eventId, this.#requestId);
    this.#isStream = false;
  }

  end(): void {
    // There is nothing to tell.
  }
}
