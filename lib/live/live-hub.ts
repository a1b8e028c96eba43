import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { LiveFrame } from '@/lib/wire/responses';

/** At most four frames a second: what is stored in between is told together. */
const FRAME_MS = 250;
const CLIENTS_MAX = 1_000;
/** Bytes that may wait for a client before it counts as too slow. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
const PING_MS = 30_000;
const GOODBYE_MS = 1_000;
/** Servers that a frame names; with more, readers refetch what they show anyway. */
const SERVERS_MAX = 100;

/** Close codes of `GET /api/v1/live`, beside those of the WebSocket protocol itself. */
export const LIVE_CLOSE = { tooSlow: 4408, shuttingDown: 1001, tooMany: 1013, noInput: 4400 } as const;

/** What was stored, as the hub is told. */
export interface StoredNote {
  readonly server: string;
  readonly isAttempt: boolean;
}

/** Tells connected pages that something was stored; they fetch what they show. */
export class LiveHub {
  readonly #now: () => number;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 1024, clientTracking: true, perMessageDeflate: false });
  readonly #alive = new WeakSet<WebSocket>();
  readonly #ping: NodeJS.Timeout;
  #timer: NodeJS.Timeout | null = null;
  #seq = 0;
  #stored = 0;
  #attempts = 0;
  #servers = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
    this.#ping = setInterval(() => this.#dropDead(), PING_MS);
    this.#ping.unref();
  }

  /** Connected clients. */
  get size(): number {
    return this.#server.clients.size;
  }

  /** Takes over the upgrade of a request for the live feed. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate());
      if (this.size > CLIENTS_MAX) return client.close(LIVE_CLOSE.tooMany, 'too many clients');
      this.#alive.add(client);
      client.on('pong', () => this.#alive.add(client));
      client.on('message', () => client.close(LIVE_CLOSE.noInput, 'nothing is expected from the client'));
    });
  }

  /** Notes what was just committed; told to the clients within a quarter of a second. */
  publish(notes: Iterable<StoredNote>): void {
    for (const { server, isAttempt } of notes) {
      this.#stored++;
      if (isAttempt) this.#attempts++;
      if (this.#servers.size < SERVERS_MAX) this.#servers.add(server);
    }
    this.#timer ??= setTimeout(() => this.#tell(), FRAME_MS);
  }

  /** Says goodbye to every client; one that does not answer is cut a second later. */
  close(): void {
    clearInterval(this.#ping);
    if (this.#timer !== null) clearTimeout(this.#timer);
    const clients = [...this.#server.clients];
    for (const client of clients) client.close(LIVE_CLOSE.shuttingDown, 'shutting down');
    this.#server.close();
    setTimeout(() => {
      for (const client of clients) client.terminate();
    }, GOODBYE_MS).unref();
  }

  #tell(): void {
    this.#timer = null;
    const frame: LiveFrame = {
      seq: ++this.#seq,
      at: new Date(this.#now()).toISOString(),
      stored: this.#stored,
      attempts: this.#attempts,
      servers: [...this.#servers].sort(),
    };
    this.#stored = 0;
    this.#attempts = 0;
    this.#servers = new Set();
    const text = JSON.stringify(frame);
    for (const client of this.#server.clients) {
      if (client.bufferedAmount > BUFFERED_BYTES_MAX) client.close(LIVE_CLOSE.tooSlow, 'too slow');
      else if (client.readyState === client.OPEN) client.send(text);
    }
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
