import { ApiFailure, failureOf } from '@/components/api/api-failure';

const TIMEOUT_MS = 15_000;

export type Params = Readonly<Record<string, string | number | null | undefined>>;

/**
 * Reads one answer of the API on this page's own origin. The answer is taken to have the shape that its schema
 * in `lib/wire/responses` promises: page and API come from one build. Throws `ApiFailure`, never anything else
 * but the caller's own abort.
 */
export async function getJson<T>(path: string, params: Params, signal: AbortSignal): Promise<T> {
  const response = await send(`${path}${queryText(params)}`, { headers: { accept: 'application/json' } }, signal);
  return (await readBody(response)) as T;
}

/** Posts `body` as JSON under the same promises as `getJson`. */
export const postJson = <T>(path: string, body: unknown): Promise<T> => changeJson<T>('POST', path, body);

/** Changes something, under the same promises as `getJson`. */
export async function changeJson<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const carried = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await readBody(await send(path, { method, ...carried }, new AbortController().signal))) as T;
}

/** The query text of `params`, leaving out what is empty. */
export function queryText(params: Params): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function send(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (timeout.aborted) throw new ApiFailure('timeout', `No answer came within ${TIMEOUT_MS / 1000} s.`, null);
    throw new ApiFailure('unreachable', 'The server could not be reached.', null);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body);
  if (body === null) throw new ApiFailure('unreadable', 'The answer could not be read as JSON.', response.status);
  return body;
}
