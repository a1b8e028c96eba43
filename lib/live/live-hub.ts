import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { parsePosition } from '@/lib/base/position';
import { type LiveCursor, LiveRing } from '@/lib/live/live-ring';
import type { LiveEvent, LiveTail } from '@/lib/query/live-events';
import type { Reason } from '@/lib/resume/types';
import type { LiveFrame } from '@/lib/wire/live-frames';

const CLIENTS_MAX = 1_000;
/** Bytes that may wait for a client before it counts as too slow. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
const PING_MS = 30_000;
const GOODBYE_MS = 1_000;

/** Close codes of `GET /api/v1/live`, beside those of the WebSocket protocol itself. */
export const LIVE_CLOSE = { tooSlow: 4408, shuttingDown: 1001, tooMany: 1013, noInput: 4400, deaf: 4503 } as const;

export interface LiveHubParts {
  /** Reads what follows a number from the log that all processes share. */
  readonly tail: (after: bigint, limit: number) => Promise<LiveTail>;
  /** Events that are kept for those who come back. */
  readonly retained: number;
}

/**
 * Tells connected pages what was stored, by whichever process. The log lies in the database; this is one process's
 * copy of its end. A page that comes back with its generation and number is sent what it missed, or told that it
 * cannot be.
 */
export class LiveHub {
  readonly #parts: LiveHubParts;
  readonly #ring: LiveRing;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 1024, clientTracking: true, perMessageDeflate: false });
  readonly #alive = new WeakSet<WebSocket>();
  readonly #ping: NodeJS.Timeout;
  #pulling: Promise<void> | null = null;
  #isDue = false;

  constructor(parts: LiveHubParts) {
    this.#parts = parts;
    this.#ring = new LiveRing(parts.retained);
    this.#ping = setInterval(() => this.#dropDead(), PING_MS);
    this.#ping.unref();
  }

  /** Where the feed stands in this process. */
  get place(): { readonly generation: string; readonly head: bigint } {
    return { generation: this.#ring.generation, head: this.#ring.head };
  }

  /** Takes over the upgrade of a request for the live feed. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const cursor = cursorOf(request);
    this.#server.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate());
      if (this.#server.clients.size > CLIENTS_MAX) return client.close(LIVE_CLOSE.tooMany, 'too many clients');
      this.#alive.add(client);
      client.on('pong', () => this.#alive.add(client));
      client.on('message', () => client.close(LIVE_CLOSE.noInput, 'nothing is expected from the client'));
      this.#welcome(client, cursor);
    });
  }

  /**
   * Fetches what was stored since and tells the clients; resolves when everything that was there before the call is
   * told, and rejects when it cannot be read: then nothing was told, and the next pull tells of it.
   */
  async pull(): Promise<void> {
    this.#isDue = true;
    this.#pulling ??= this.#pullWhileDue().finally(() => {
      this.#pulling = null;
    });
    await this.#pulling;
  }

  /** Sends every client away because this process hears of nothing: a page that stayed would call old numbers live. */
  sendAway(): void {
    for (const client of this.#server.clients) client.close(LIVE_CLOSE.deaf, 'what is stored is not heard of here');
  }

  /** Says goodbye to every client; one that does not answer is cut a second later. */
  close(): void {
    clearInterval(this.#ping);
    const clients = [...this.#server.clients];
    for (const client of clients) client.close(LIVE_CLOSE.shuttingDown, 'shutting down');
    this.#server.close();
    setTimeout(() => {
      for (const client of clients) client.terminate();
    }, GOODBYE_MS).unref();
  }

  async #pullWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      this.#take(await this.#parts.tail(this.#ring.head, this.#parts.retained));
    }
  }

  #take(tail: LiveTail): void {
    const change = this.#ring.add(tail);
    const frames =
      change.kind === 'more'
        ? change.events.map((event) => this.#stored(event))
        : [this.#refusal(change.kind === 'gap' ? 'below_floor' : 'generation_mismatch')];
    for (const frame of frames) {
      const text = JSON.stringify(frame);
      for (const client of this.#server.clients) send(client, text);
    }
  }

  #welcome(client: WebSocket, cursor: LiveCursor): void {
    const { verdict, reason } = this.#ring.judge(cursor);
    if (verdict === 'refuse') {
      send(client, JSON.stringify(this.#refusal(reason)));
      return;
    }
    const missed = verdict === 'resume' && cursor.seq !== null ? this.#ring.after(cursor.seq) : [];
    const open: LiveFrame = { type: 'open', verdict: verdict === 'resume' ? 'resume' : 'fresh', ...this.#head(), replayed: missed.length };
    send(client, JSON.stringify(open));
    for (const event of missed) send(client, JSON.stringify(this.#stored(event)));
  }

  #stored({ seq, at, stored, attempts, servers }: LiveEvent): LiveFrame {
    return { type: 'stored', generation: this.#ring.generation, seq: Number(seq), at, stored, attempts, servers: [...servers] };
  }

  #refusal(reason: Reason): LiveFrame {
    return { type: 'resume_unavailable', reason, ...this.#head(), next_step: 'refetch' };
  }

  #head(): { generation: string; seq: number } {
    return { generation: this.#ring.generation, seq: Number(this.#ring.head) };
  }

  /** A client that did not answer the last ping is gone. */
  #dropDead(): void {
    for (const client of this.#server.clients) {
      if (!this.#alive.has(client)) client.terminate();
      this.#alive.delete(client);
      if (client.readyState === client.OPEN) client.ping();
    }
  }
}

/** Browsers cannot set headers on a WebSocket, so a page says where it was in the query. */
function cursorOf(request: IncomingMessage): LiveCursor {
  const query = new URL(request.url ?? '/', 'http://edge').searchParams;
  const text = query.get('cursor');
  return { generation: query.get('generation'), text, seq: text === null || text === '' ? null : parsePosition(text) };
}

function send(client: WebSocket, text: string): void {
  if (client.bufferedAmount > BUFFERED_BYTES_MAX) client.close(LIVE_CLOSE.tooSlow, 'too slow');
  else if (client.readyState === client.OPEN) client.send(text);
}
