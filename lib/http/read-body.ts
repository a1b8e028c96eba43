import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { pumpBody, type TakePart } from '@/lib/http/body-pump';
import type { ByteLease } from '@/lib/http/byte-budget';
import { HttpError } from '@/lib/http/http-error';
import type { RequestBody } from '@/lib/http/route';

/** Input that is thrown away after a refusal, so that the sender gets to read it; beyond it the connection is cut. */
const DISCARD_BYTES_MAX = 256 * 1024 * 1024;
const DISCARD_MS_MAX = 10_000;
/** A sender gets this long for a whole body; without an end, stalled senders would hold the budget of all others. */
const BODY_MS_MAX = 60_000;
/** As much as a chunk of a body that is not compressed. */
const UNZIPPED_CHUNK_BYTES = 65_536;

export interface BodyLimits {
  /** After decompression. */
  readonly bytesMax: number;
  /** What is held is taken from it; the caller releases it when it is done with the body. */
  readonly lease: ByteLease;
  /** Time that the sender may take; not counted is what the reader takes. */
  readonly msMax?: number;
}

/**
 * Reads a request body, decompressing it on the way: what a compressed body would unfold to beyond the limit is
 * never held.
 *
 * @throws HttpError `body_too_large`, `intake_full`, `request_timeout`, `unsupported_encoding`, `malformed_encoding`
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  await readParts(request, limits, (chunk) => {
    chunks.push(chunk);
    return null;
  });
  const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
  return {
    mediaType: mediaTypeOf(request),
    bytes,
    get text() {
      return textOf(bytes);
    },
  };
}

/**
 * The same, handing the body on as it arrives, no faster than it is taken.
 *
 * @throws HttpError as `readBody` does; whatever `take` throws
 */
export async function readParts(request: IncomingMessage, limits: BodyLimits, take: TakePart): Promise<void> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limits.bytesMax) return refuseBody(request, tooLarge(limits.bytesMax));
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return pump(request, request, limits, take);
  if (encoding === 'gzip' || encoding === 'x-gzip') return pumpUnzipped(request, limits, take);
  return refuseBody(request, new HttpError('unsupported_encoding', `content-encoding ${encoding.slice(0, 40)} is not supported`));
}

/** Media type of a request's body without parameters, lower case. */
export function mediaTypeOf(request: IncomingMessage): string {
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  return mediaType.trim().toLowerCase();
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError('malformed_encoding', 'the body is not UTF-8 text');
  return withoutMark(bytes.toString('utf8'));
}

async function pumpUnzipped(request: IncomingMessage, limits: BodyLimits, take: TakePart): Promise<void> {
  const gunzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
  request.on('error', (cause) => gunzip.destroy(cause));
  request.on('aborted', () => gunzip.destroy(new Error('aborted')));
  request.pipe(gunzip);
  try {
    await pump(gunzip, request, limits, take);
  } finally {
    request.unpipe(gunzip);
    gunzip.destroy();
  }
}

async function pump(source: Readable, request: IncomingMessage, limits: BodyLimits, take: TakePart): Promise<void> {
  const { bytesMax, lease, msMax = BODY_MS_MAX } = limits;
  let size = 0;
  const bounded: TakePart = (chunk) => {
    size += chunk.length;
    if (size > bytesMax) throw tooLarge(bytesMax);
    if (!lease.take(chunk.length)) throw noRoom();
    return take(chunk);
  };
  // Nothing more comes of such a body, or not in time: no use in waiting for its end.
  let isHopeless = false;
  const hopeless = (refusal: HttpError): HttpError => {
    isHopeless = true;
    return refusal;
  };
  const broken = (cause: Error) => hopeless(new HttpError('malformed_encoding', 'the body ended early or is not valid gzip', { cause }));
  try {
    await pumpBody(source, { take: bounded, msMax, tooSlow: () => hopeless(tooSlow(msMax)), broken });
  } catch (cause) {
    if (isHopeless) throw cause;
    return refuseBody(request, cause);
  }
}

/** Lets the sender finish, within bounds, before the refusal is thrown: an answer sent amid its upload would be lost. */
export async function refuseBody(request: IncomingMessage, refusal: unknown): Promise<never> {
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
  return new HttpError('intake_full', 'too much is being sent at a time');
}

/** Some editors and shells begin UTF-8 text with a byte order mark, which JSON does not know. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
