import { BODY_BYTES_MAX, BodyBytes } from './body-bytes.js';

/** A web request's body as it is read beside the handler. */
export interface CopiedBody {
  /** All of it; null where it is longer than is read, broke off, or was left before its end. Never rejects. */
  readonly bytes: Promise<Buffer | null>;
  /** Reads no further. The request itself stays as it is. */
  leave(): void;
}

/**
 * Reads a copy of a request's body, up to the bound, whether or not the request says how long it is.
 * Null where there is no body to read. Nothing waits for the copy: a handler may answer before the body has come.
 */
export function copyBody(request: Request): CopiedBody | null {
  const length = Number(request.headers.get('content-length') ?? 0);
  if (request.method !== 'POST' || request.bodyUsed || length > BODY_BYTES_MAX) return null;
  const reader = readerOfCopy(request);
  if (reader === null) return null;
  // Of a copy that is left the request's own body goes on: what the cancelling comes to concerns nobody.
  const leave = () => void reader.cancel().catch(() => undefined);
  return { bytes: readWhole(reader, leave).catch(() => null), leave };
}

function readerOfCopy(request: Request): ReadableStreamDefaultReader<Uint8Array> | null {
  try {
    return request.clone().body?.getReader() ?? null;
  } catch {
    // Somebody else holds the body; the handler answers for it.
    return null;
  }
}

async function readWhole(reader: ReadableStreamDefaultReader<Uint8Array>, leave: () => void): Promise<Buffer | null> {
  const bytes = new BodyBytes();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.take();
    bytes.add(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    if (!bytes.isTooLong) continue;
    leave();
    return null;
  }
}
