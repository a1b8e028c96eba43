import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ByteLease } from '@/lib/http/byte-budget';
import { HttpError } from '@/lib/http/http-error';
import type { RequestBody } from '@/lib/http/route';

/** Input that is thrown away after a refusal, so that the sender gets to read it; beyond it the connection is cut. */
const DISCARD_BYTES_MAX = 256 * 1024 * 1024;
const DISCARD_MS_MAX = 10_000;
/** A sender gets this long for a whole body; without an end, stalled senders would hold the budget of all others. */
const BODY_MS_MAX = 60_000;

/**
 * Reads a request body, decompressing it on the way: what a compressed body would unfold to beyond the limit is
 * never held. What is held is taken from the lease, which the caller releases when it is done with the body.
 *
 * @throws HttpError `body_too_large`, `intake_full`, `request_timeout`, `unsupported_encoding`, `malformed_encoding`
 */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
  lease: ByteLease,
  msMax: number = BODY_MS_MAX,
): Promise<RequestBody> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return refuseBody(request, tooLarge(bytesMax));
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip') {
    return refuseBody(request, new HttpError('unsupported_encoding', `content-encoding ${encoding.slice(0, 40)} is not supported`));
  }
  const limits = { bytesMax, lease, msMax };
  const bytes = encoding === 'identity' ? await collect(request, request, limits) : await collectUnzipped(request, limits);
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  return {
    mediaType: mediaType.trim().toLowerCase(),
    bytes,
    get text() {
      return textOf(bytes);
    },
  };
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError('malformed_encoding', 'the body is not UTF-8 text');
  return withoutMark(bytes.toString('utf8'));
}

interface BodyLimits {
  readonly bytesMax: number;
  readonly lease: ByteLease;
  readonly msMax: number;
}

async function collectUnzipped(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const gunzip = createGunzip();
  request.on('error', (cause) => gunzip.destroy(cause));
  request.on('aborted', () => gunzip.destroy(new Error('aborted')));
  request.pipe(gunzip);
  try {
    return await collect(gunzip, request, limits);
  } finally {
    request.unpipe(gunzip);
    gunzip.destroy();
  }
}

function collect(source: Readable, request: IncomingMessage, { bytesMax, lease, msMax }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > bytesMax) stop(() => refuseBody(request, tooLarge(bytesMax)).catch(reject));
      else if (!lease.take(chunk.length)) stop(() => refuseBody(request, noRoom()).catch(reject));
      else chunks.push(chunk);
    };
    const onEnd = (): void => stop(() => resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks, size)));
    const onError = (cause: Error): void =>
      stop(() => reject(new HttpError('malformed_encoding', 'the body ended early or is not valid gzip', { cause })));
    const timer = setTimeout(() => stop(() => reject(tooSlow(msMax))), msMax);
    const stop = (then: () => void): void => {
      clearTimeout(timer);
      source.off('data', onData);
      source.off('end', onEnd);
      then();
    };
    source.on('data', onData);
    source.on('end', onEnd);
    source.once('error', onError);
  });
}

/** Lets the sender finish, within bounds, before the refusal is thrown: an answer sent amid its upload would be lost. */
async function refuseBody(request: IncomingMessage, refusal: HttpError): Promise<never> {
  if (request.complete) throw refusal;
  await new Promise<void>((resolve) => {
    let size = 0;
    const timer = setTimeout(cut, DISCARD_MS_MAX);
    function cut(): void {
      clearTimeout(timer);
      request.off('data', count);
      resolve();
    }
    function count(chunk: Buffer): void {
      size += chunk.length;
      if (size > DISCARD_BYTES_MAX) cut();
    }
    request.unpipe();
    request.on('data', count);
    request.once('end', cut);
    request.once('close', cut);
    request.resume();
  });
  throw refusal;
}

function tooLarge(bytesMax: number): HttpError {
  return new HttpError('body_too_large', `the body is larger than ${bytesMax} bytes`, { headers: { connection: 'close' } });
}

function tooSlow(msMax: number): HttpError {
  return new HttpError('request_timeout', `the body did not arrive within ${msMax / 1000} s`, { headers: { connection: 'close' } });
}

function noRoom(): HttpError {
  return new HttpError('intake_full', 'too much is being sent at a time', { headers: { 'retry-after': '1' } });
}

/** Some editors and shells begin UTF-8 text with a byte order mark, which JSON does not know. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
