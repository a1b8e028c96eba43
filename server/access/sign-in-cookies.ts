import type { IncomingMessage } from 'node:http';

/**
 * The cookies that the library sets, as the browser gets them: over HTTPS they are never sent without it. Whoever stands
 * in between says how the request came to it; a caller who claims it wrongly only loses their own cookie.
 */
export function cookiesOf(response: Response, { headers }: IncomingMessage, baseUrl: string): string[] {
  const proto = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
  const isSecure = baseUrl.startsWith('https:') || proto?.trim() === 'https';
  return response.headers.getSetCookie().map((cookie) => (isSecure && !/;\s*secure/i.test(cookie) ? `${cookie}; Secure` : cookie));
}

/** What the library looks at of a request: its cookies and how its browser calls itself. */
export function libraryHeaders({ headers }: IncomingMessage): Headers {
  const agent = headers['user-agent']?.slice(0, 300);
  return new Headers({ cookie: headers.cookie ?? '', ...(agent === undefined ? {} : { 'user-agent': agent }) });
}
