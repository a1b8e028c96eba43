import { createParser } from 'eventsource-parser';
import { DriveProblem } from '@/lib/drive/drive-problem';

/** A stream connection to the target, and what came over it. */
export interface DrivenConn {
  readonly abort: AbortController;
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  /** JSON-RPC code of a refusal, in the body or in an event. */
  readonly code: () => number | null;
  /** Settles when the first event came, the stream ended, or a moment passed. */
  readonly settled: Promise<void>;
}

const ANSWER_MS_MAX = 10_000;
/** How long a resumed stream has to say that it is a refusal after all. */
const FIRST_EVENT_MS_MAX = 500;
const BODY_CHARS_MAX = 65_536;
const PROTOCOL_VERSION = '2025-11-25';

const baseHeaders = { 'mcp-protocol-version': PROTOCOL_VERSION, accept: 'application/json, text/event-stream' };

/** Opens a session and answers with its token, null when the target issues none. @throws DriveProblem when the target refuses or cannot be reached */
export async function openSession(target: URL, headers: Readonly<Record<string, string>>): Promise<string | null> {
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'tidemark-replay', version: '1' } };
  const response = await post(target, headers, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await response.body?.cancel();
  if (!response.ok) throw new DriveProblem(`the target answered initialize with ${response.status}`);
  const token = response.headers.get('mcp-session-id');
  const session = token === null ? {} : { 'mcp-session-id': token };
  const told = await post(target, { ...headers, ...session }, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await told.body?.cancel();
  return token;
}

/** Ends a session; a target that does not take it keeps it. */
export async function closeSession(target: URL, headers: Readonly<Record<string, string>>): Promise<void> {
  const init: RequestInit = {
    method: 'DELETE',
    headers: { ...baseHeaders, ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  };
  await fetch(target, init)
    .then((response) => response.body?.cancel())
    .catch(() => undefined);
}

function post(target: URL, headers: Readonly<Record<string, string>>, message: unknown): Promise<Response> {
  return fetch(target, {
    method: 'POST',
    headers: { ...baseHeaders, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((cause: unknown) => {
    throw new DriveProblem('the target cannot be reached', { cause });
  });
}

/** Opens the standalone stream, with a cursor if there is one. `onId` hears each event id. Never rejects. */
export async function connect(target: URL, headers: Readonly<Record<string, string>>, onId: (id: string) => void): Promise<DrivenConn> {
  const abort = new AbortController();
  const late = setTimeout(() => abort.abort(), ANSWER_MS_MAX);
  let code: number | null = null;
  try {
    const response = await fetch(target, { headers: { ...baseHeaders, ...headers }, redirect: 'manual', signal: abort.signal });
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const first = isStream
      ? readStream(response, onId, (found) => {
          code ??= found;
        })
      : readRefusal(response).then((found) => {
          code = found;
        });
    return { abort, status: response.status, code: () => code, settled: orAfter(first, FIRST_EVENT_MS_MAX) };
  } catch {
    return { abort, status: null, code: () => null, settled: Promise.resolve() };
  } finally {
    clearTimeout(late);
  }
}

async function readRefusal(response: Response): Promise<number | null> {
  const text = (await response.text().catch(() => '')).slice(0, BODY_CHARS_MAX);
  return codeIn(text);
}

/** Resolves at the first event or the end, and reads on. */
function readStream(response: Response, onId: (id: string) => void, onCode: (code: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const parser = createParser({
      maxBufferSize: BODY_CHARS_MAX,
      onEvent: ({ id, data }) => {
        if (id !== undefined && id !== '') onId(id);
        const code = codeIn(data);
        if (code !== null) onCode(code);
        resolve();
      },
    });
    void feed(response, (text) => parser.feed(text)).finally(resolve);
  });
}

async function feed(response: Response, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) take(decoder.decode(chunk, { stream: true }));
  } catch {
    // Cut by us or by the target: what came until then stands.
  }
}

/** The code of a JSON-RPC error; null for any other text. */
function codeIn(text: string): number | null {
  try {
    const message = JSON.parse(text) as { error?: { code?: unknown } } | null;
    return typeof message?.error?.code === 'number' ? message.error.code : null;
  } catch {
    return null;
  }
}

function orAfter(done: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void done.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
