import { ApiFailure, failureOf } from '@/components/api/api-failure';

const TIMEOUT_MS = 15_000;
const FILE_TIMEOUT_MS = 120_000;
const WORK_TIMEOUT_MS = 60_000;
/** A little longer than anything that tells its progress may take. */
const STREAM_TIMEOUT_MS = 660_000;

export type Params = Readonly<Record<string, string | number | null | undefined>>;

/**
 * Reads one answer of the API on this page's own origin. The answer is taken to have the shape that its schema
 * in `lib/wire` promises: page and API come from one build. Throws `ApiFailure`, never anything else
 * but the caller's own abort.
 */
export async function getJson<T>(path: string, params: Params, signal: AbortSignal): Promise<T> {
  const response = await send(`${path}${queryText(params)}`, { headers: { accept: 'application/json' } }, signal);
  return (await readBody(response)) as T;
}

/**
 * Reads one page of an answer with a JSON value on each line, under the same promises. `next`, which leads to the page
 * after it, is known before the page itself has come, so that the server can work on it meanwhile.
 */
async function getLines<T>(
  path: string,
  params: Params,
  signal: AbortSignal,
): Promise<{ readonly items: Promise<readonly T[]>; readonly next: string | null }> {
  const response = await send(`${path}${queryText(params)}`, { headers: { accept: 'application/x-ndjson' } }, signal, WORK_TIMEOUT_MS);
  if (!response.ok) throw failureOf(response.status, await response.json().catch(() => null));
  return { items: readLines<T>(response), next: response.headers.get('tidemark-next') };
}

/** The pages of such an answer joined, about `most` items of it; the next page is asked for while one is being read. */
export async function readAllLines<T>(
  path: string,
  { perRead, most }: { readonly perRead: number; readonly most: number },
  signal: AbortSignal,
): Promise<readonly T[]> {
  const all: T[] = [];
  const pageAt = (cursor: string | null) => getLines<T>(path, { cursor, limit: perRead }, signal);
  let page = await pageAt(null);
  for (;;) {
    const following = page.next === null ? null : pageAt(page.next);
    const items = await page.items;
    for (const item of items) all.push(item);
    if (following === null || items.length === 0 || all.length >= most) return all;
    page = await following;
  }
}

async function readLines<T>(response: Response): Promise<readonly T[]> {
  const items: T[] = [];
  for (const line of (await response.text()).split('\n')) if (line !== '') items.push(JSON.parse(line) as T);
  return items;
}

/** Posts `body` as JSON under the same promises as `getJson`. */
export const postJson = <T>(path: string, body: unknown): Promise<T> => changeJson<T>('POST', path, body);

/** Reads what takes a body to ask for, under the same promises as `getJson`; the server works until the caller goes away. */
export async function postRead<T>(path: string, body: unknown, signal: AbortSignal): Promise<T> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await readBody(await send(path, init, signal, WORK_TIMEOUT_MS))) as T;
}

/** Posts what answers line by line as it goes; the connection is the caller's to close. Throws as `getJson` while there is no answer yet. */
export function openStream(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson' };
  return send(path, { method: 'POST', headers, body: JSON.stringify(body) }, signal, STREAM_TIMEOUT_MS);
}

/** Changes something, under the same promises as `getJson`. */
export async function changeJson<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const carried = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await readBody(await send(path, { method, ...carried }, new AbortController().signal))) as T;
}

/** Posts JSON text as it is, such as a file that its sender signed byte for byte; a large one may take its time. */
export async function postText<T>(path: string, text: string): Promise<T> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text };
  return (await readBody(await send(path, init, new AbortController().signal, FILE_TIMEOUT_MS))) as T;
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

async function send(url: string, init: RequestInit, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (timeout.aborted) throw new ApiFailure('timeout', `No answer came within ${timeoutMs / 1000} s.`, null);
    throw new ApiFailure('unreachable', 'The server could not be reached.', null);
  }
}

async function readBody(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body);
  if (body === null) throw new ApiFailure('unreadable', 'The answer could not be read as JSON.', response.status);
  return body;
}
