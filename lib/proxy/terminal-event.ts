import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Credentials } from '@/lib/proxy/credentials';
import type { RpcError } from '@/lib/proxy/refusal';
import { idsOf } from '@/lib/session-log/pending-ids';
import { writeEvent } from '@/lib/sse/write-event';

/** Response headers of an event stream that the proxy itself begins. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** The event that settles a pending call: an error response under the request's own id. One for each call that waits. */
export function terminalEvents(credentials: Credentials, key: string, pending: string, error: RpcError): string {
  return idsOf(pending)
    .map((requestId) => {
      const id = credentials.terminalId(key, randomBytes(8).toString('hex'));
      return writeEvent({ id, data: `{"jsonrpc":"2.0","id":${requestId},"error":${JSON.stringify(error)}}` });
    })
    .join('');
}

/** Style `terminal_error`: exactly one event for each call that waits, then the end. */
export function sendTerminalError(res: ServerResponse, credentials: Credentials, key: string, pending: string, error: RpcError): void {
  res.writeHead(200, STREAM_HEADERS);
  res.end(terminalEvents(credentials, key, pending, error));
}
