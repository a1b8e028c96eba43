import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { withoutTokens } from '@/lib/http/link-token';
import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import { servePath } from '@/lib/proxy/serve-path';
import { headLimit } from './head-limit';
import type { Level } from './log';
import type { PageProxy } from './page-proxy';
import type { Services } from './services';

export interface EdgeOptions {
  /** Requests that come before it settles wait for it. */
  readonly services: Promise<Services>;
  /** The enforcing proxy, once the services settled. */
  readonly proxy: () => EnforcingProxy | null;
  readonly pages: PageProxy;
  /** Joins upgrades under /_next/ to the renderer. */
  readonly dev: boolean;
  readonly log: (level: Level, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The one port outside: services answer first, everything else is a page. */
export function createEdge({ services, proxy, pages, dev, log }: EdgeOptions): Server {
  const server = createServer(headLimit(), (request, response) => {
    answer(request, response).catch((cause: unknown) => {
      log('error', 'a request failed', { cause, method: request.method, path: withoutTokens(request.url?.split('?')[0] ?? '') });
      sayInternal(response);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const opened = await services;
    const enforcing = proxy();
    if (enforcing !== null && servePath(enforcing, request, response)) return;
    if (await opened.handle(request, response)) return;
    const elsewhere = await opened.signInPathFor(request);
    if (elsewhere !== null) response.writeHead(303, { location: elsewhere, 'cache-control': 'no-store' }).end();
    else await pages.serve(request, response);
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if ((await services).upgrade(request, socket, head)) return;
    if (dev && request.url?.startsWith('/_next/')) await pages.joinUpgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () => socket.destroy());
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  return server;
}

function sayInternal(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: 'internal', message: 'unexpected error', next_step: 'see the log of the server' } }));
}
