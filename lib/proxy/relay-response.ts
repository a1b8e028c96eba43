import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardHeaders } from '@/lib/proxy/headers';

export const isEventStream = (response: IncomingMessage): boolean =>
  response.headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;

/** Sends the upstream's status line and headers as they came, `added` after them. */
export function relayHead(response: IncomingMessage, res: ServerResponse, added: Readonly<Record<string, string>> = {}): void {
  res.sendDate = false;
  res.writeHead(response.statusCode ?? 502, response.statusMessage ?? '', forwardHeaders(response.rawHeaders, added));
}

/** Relays a whole response byte for byte; back-pressure and aborts go both ways. */
export function relayWhole(response: IncomingMessage, res: ServerResponse): void {
  relayHead(response, res);
  if (isEventStream(response)) res.flushHeaders();
  response.on('data', (chunk: Buffer) => {
    if (res.write(chunk)) return;
    response.pause();
    res.once('drain', () => response.resume());
  });
  response.on('end', () => res.end());
  response.on('close', () => {
    if (!response.complete) res.destroy();
  });
  response.on('error', () => res.destroy());
  res.on('close', () => {
    if (!res.writableFinished) response.destroy();
  });
  response.resume();
}
