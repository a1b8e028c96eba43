import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ByteBudget } from '@/lib/http/byte-budget';
import { HttpError } from '@/lib/http/http-error';
import { readBody } from '@/lib/http/read-body';

/** Sends the head and a beginning of a body, then falls silent or hangs up, and tells how reading it ended. */
async function readStalled(encoding: string, isHungUp: boolean, msMax: number): Promise<{ code: string; isFree: boolean }> {
  const budget = new ByteBudget(100);
  const lease = budget.lease();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\ncontent-encoding: ${encoding}\r\n\r\n`);
  socket.write(encoding === 'gzip' ? gzipSync('[1,2,3]').subarray(0, 14) : '[1,2,');
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const reading = readBody(request, { bytesMax: 100, lease, msMax }).then(
    () => 'read',
    (cause: unknown) => (cause instanceof HttpError ? cause.code : String(cause)),
  );
  if (isHungUp) socket.destroy();
  const code = await reading;
  lease.release();
  socket.destroy();
  server.closeAllConnections();
  server.close();
  return { code, isFree: budget.lease().take(100) };
}

describe('a body that never ends', () => {
  test.each(['identity', 'gzip'])('is given up after its time, and its share is free again: %s', async (encoding) => {
    expect(await readStalled(encoding, false, 50)).toEqual({ code: 'request_timeout', isFree: true });
  });

  test.each(['identity', 'gzip'])('is given up at once when its sender hangs up: %s', async (encoding) => {
    expect(await readStalled(encoding, true, 60_000)).toEqual({ code: 'malformed_encoding', isFree: true });
  });
});
