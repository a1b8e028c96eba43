import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

export interface RawStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: SseEvent[];
  readonly bytes: () => Buffer;
  readonly isEnded: () => boolean;
  /** Whether the connection was cut rather than ended. */
  readonly isCut: () => boolean;
  readonly close: () => void;
  readonly response: IncomingMessage;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const ACCEPT = { accept: 'application/json, text/event-stream' };

function open(url: string, { method = 'GET', headers = {}, body }: RawRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...ACCEPT, ...headers }, agent: false }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends a request and reads its whole answer. */
export async function fetchRaw(url: string, options: RawRequest = {}): Promise<RawAnswer> {
  const response = await open(url, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: Buffer.concat(chunks).toString(),
  };
}

/** Opens a stream and collects its events as they come. */
export async function openStream(url: string, options: RawRequest = {}): Promise<RawStream> {
  const response = await open(url, options);
  const events: SseEvent[] = [];
  const chunks: Buffer[] = [];
  let isEnded = false;
  let isCut = false;
  const parser = createParser({ onEvent: ({ id, data }) => events.push({ id, data }) });
  const decoder = new TextDecoder();
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    parser.feed(decoder.decode(chunk, { stream: true }));
  });
  response.on('end', () => {
    isEnded = true;
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    isCut = !response.complete;
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    bytes: () => Buffer.concat(chunks),
    isEnded: () => isEnded,
    isCut: () => isCut,
    close: () => response.destroy(),
    response,
  };
}

export const rpc = (id: number | string | null, method: string, params: unknown = {}): string =>
  JSON.stringify(id === null ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', id, method, params });

export const JSON_BODY = { 'content-type': 'application/json' };

const INITIALIZE = rpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } });

/** Initializes a session and answers the headers that carry it. */
export async function initialize(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await fetchRaw(url, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body: INITIALIZE });
  const token = answer.headers['mcp-session-id'];
  if (answer.status !== 200 || typeof token !== 'string') throw new Error(`initialize failed: ${answer.status} ${answer.body}`);
  return { ...headers, 'mcp-session-id': token, 'mcp-protocol-version': '2025-11-25' };
}

export const post = (url: string, headers: Record<string, string>, body: string | Buffer): Promise<RawAnswer> =>
  fetchRaw(url, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });

export const postStream = (url: string, headers: Record<string, string>, body: string): Promise<RawStream> =>
  openStream(url, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });

export const resume = (url: string, headers: Record<string, string>, lastEventId: string): Promise<RawStream> =>
  openStream(url, { headers: { ...headers, 'last-event-id': lastEventId } });
