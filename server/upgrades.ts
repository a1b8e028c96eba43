import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Caller, type Guard, type RouteScope, requireScope } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import type { TelemetrySockets } from '@/lib/intake/telemetry-sockets';
import { codedError } from '@/server/coded-error';
import type { LiveFeed } from '@/server/live-feed';

export interface UpgradeParts {
  readonly guard: Guard;
  readonly live: LiveFeed;
  readonly sockets: TelemetrySockets;
  /** Told of errors that nobody expected. */
  readonly onUnexpected: (cause: unknown, request: IncomingMessage) => void;
}

/** Ends a connection for the code of a refusal. */
type End = (code: string) => void;

const READMIT_EVERY_MS = 10_000;
const LIVE = /^\/api\/v1\/live(?:$|\?)/;
const TELEMETRY = /^\/api\/v1\/telemetry\/ws(?:$|\?)/;

/**
 * Takes the upgrades to WebSockets, by path, of whom the guard lets in. A connection ends once whoever opened it would
 * no longer be let in: within ten seconds for whatever reason, and for a key as soon as `readmitKeys` is called.
 */
export class Upgrades {
  readonly #parts: UpgradeParts;
  /** Looks again at each connection that a key opened. */
  readonly #ofKeys = new Set<() => void>();

  constructor(parts: UpgradeParts) {
    this.#parts = parts;
  }

  /** Takes the upgrade over; what is no WebSocket, or may not be opened, is answered as a request would be and closed. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    this.#join(request, socket, head).catch((cause: unknown) => refuse(socket, this.#coded(cause, request)));
  }

  /** To be called when what keys may do has changed: connections of those that may no longer send or read end at once. */
  readmitKeys(): void {
    for (const look of this.#ofKeys) look();
  }

  async #join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = request.url ?? '';
    const scope = TELEMETRY.test(url) ? 'ingest' : 'read';
    const admit = () => admitted(request, this.#parts.guard, scope);
    const caller = await admit();
    if (scope === 'ingest') {
      const connection = this.#parts.sockets.accept(request, socket, head, caller);
      this.#watch(socket, caller, admit, (code) => connection?.dismiss(code));
      return;
    }
    if (!LIVE.test(url)) throw new HttpError('not_found', 'there is no WebSocket here');
    joinLive(this.#parts.live, request, socket, head);
    this.#watch(socket, caller, admit, () => socket.destroy());
  }

  #watch(socket: Duplex, caller: Caller, admit: () => Promise<unknown>, end: End): void {
    if (socket.destroyed) return;
    const look = () => void admit().catch((cause: unknown) => endIfRefused(codedError(cause), end));
    const timer = setInterval(look, READMIT_EVERY_MS);
    socket.once('close', () => {
      clearInterval(timer);
      this.#ofKeys.delete(look);
    });
    if (caller.member !== undefined) return;
    this.#ofKeys.add(look);
    // The keys may have been read again since the first look.
    look();
  }

  #coded(cause: unknown, request: IncomingMessage): HttpError {
    const coded = codedError(cause);
    if (coded === null) this.#parts.onUnexpected(cause, request);
    return coded ?? new HttpError('internal', 'an unexpected error', { cause });
  }
}

async function admitted(request: IncomingMessage, guard: Guard, scope: RouteScope): Promise<Caller> {
  const caller = await guard(request, scope);
  requireScope(caller, scope);
  return caller;
}

/** A database that cannot be asked says nothing about who may stay. */
function endIfRefused(refusal: HttpError | null, end: End): void {
  if (refusal !== null && refusal.status < 500) end(refusal.code);
}

/** A page is let in only while the feed hears of everything: a feed that might lag would make promises it cannot keep. */
function joinLive({ hub, isUp }: LiveFeed, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!isUp()) throw new HttpError('database_unavailable', 'the log of the live feed cannot be reached');
  hub.accept(request, socket, head);
}

function refuse(socket: Duplex, { status, body, headers }: HttpError): void {
  const text = JSON.stringify(body);
  const fields = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} Refused`, ...lines, '', text].join('\r\n'));
}
