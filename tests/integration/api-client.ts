import { gzipSync } from 'node:zlib';

/** An answer with its body read as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

export function postJson(url: string, body: unknown): Promise<Reply> {
  return call(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

export function postLines(url: string, lines: readonly string[], options: { gzip?: boolean } = {}): Promise<Reply> {
  const text = lines.join('\n');
  return call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...(options.gzip === true ? { 'content-encoding': 'gzip' } : {}) },
    body: options.gzip === true ? new Uint8Array(gzipSync(text)) : text,
  });
}
