import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownChallenge } from '@/lib/proxy/challenge';
import { forwardHeaders } from '@/lib/proxy/headers';
import { MessageSource, type StreamSource } from '@/lib/proxy/stream-source';
import { tapOf, type UpstreamTap } from '@/lib/proxy/upstream-tap';

export const isEventStream = (response: IncomingMessage): boolean =>
  response.headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;

/** Sends the upstream's status line and headers as they came, but for where a challenge leads; `added` after them. */
export function relayHead(response: IncomingMessage, res: ServerResponse, added: Readonly<Record<string, string>> = {}): void {
  res.sendDate = false;
  const { statusCode: status = 502, statusMessage = '', rawHeaders } = response;
  const headers = status === 401 || status === 403 ? ownChallenge(rawHeaders, res.req) : rawHeaders;
  res.writeHead(status, statusMessage, forwardHeaders(headers, isDocument(response, res.req) ? { ...added, ...SANDBOX } : added));
}

/** A document that a browser opens under our address gets an origin of its own, beside whatever policy it came with. */
const SANDBOX = { 'Content-Security-Policy': 'sandbox' } as const;

/** By what it says that it is, or since a browser asks for it to show it, whatever it turns out to be. */
function isDocument(response: IncomingMessage, { headers }: IncomingMessage): boolean {
  const shownAs = headers['sec-fetch-dest'];
  return DOCUMENT_TYPE.test(response.headers['content-type'] ?? '') || (shownAs !== undefined && shownAs !== 'empty');
}

const DOCUMENT_TYPE = /^\s*(?:text\/html|text\/xml|application\/xml|[a-z]+\/[^;]*\+xml)/i;

/** Who reads the body of an event stream: its own connection where it has one and the body is chunked, else node. */
export function sourceOf(response: IncomingMessage): StreamSource {
  const tap = undecidedTap(response);
  if (tap !== null && response.headers['transfer-encoding']?.toLowerCase() === 'chunked') return tap;
  tap?.pass();
  return new MessageSource(response);
}

/** Leaves the body of a response to node. */
export const readByNode = (response: IncomingMessage): void => undecidedTap(response)?.pass();

function undecidedTap(response: IncomingMessage): UpstreamTap | null {
  const tap = tapOf(response.socket);
  return tap?.isUndecided === true ? tap : null;
}

/** Answers of this size at most are written in one piece with their head, when they came in one. */
const SINGLE_WRITE_BYTES_MAX = 16 * 1024;

/** Relays a whole response byte for byte; back-pressure and aborts go both ways. */
export function relayWhole(response: IncomingMessage, res: ServerResponse): void {
  readByNode(response);
  relayHead(response, res);
  const isStream = isEventStream(response);
  if (isStream) res.flushHeaders();
  const wholeBytes = isStream ? Number.NaN : Number(response.headers['content-length']);
  let isWritten = false;
  response.on('data', (chunk: Buffer) => {
    if (!isWritten && chunk.length === wholeBytes && wholeBytes <= SINGLE_WRITE_BYTES_MAX) {
      // Text joins its head in one write, and in this encoding it is the bytes as they are.
      isWritten = true;
      res.end(chunk.toString('latin1'), 'latin1');
      return;
    }
    isWritten = true;
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
