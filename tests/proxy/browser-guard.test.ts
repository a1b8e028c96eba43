import { afterEach, describe, expect, test } from 'vitest';
import { type OriginPolicy, refuseForeignOrigin } from '@/lib/proxy/origin-guard';
import { foreignCookies, setsOwnCookie } from '@/lib/proxy/own-cookies';
import { fetchRaw, post, rpc } from '@/tests/proxy/raw-client';
import { type SeenRequest, scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { startProxy } from '@/tests/proxy/start-proxy';

/** The proxy may stand on the origin at which people sign in, and what is behind it is not to be trusted with that. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function inFront(answer: (request: SeenRequest) => void) {
  const upstream = await scriptedUpstream(answer);
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(running.stop);
  return { upstream, url: running.url() };
}

const json = ({ res }: SeenRequest): void => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}');

describe('the sign-in of this product', () => {
  test.each([
    ['alone', 'tidemark.session_token=s3cret', undefined],
    ['before another', 'tidemark.session_token=s3cret; theirs=1', 'theirs=1'],
    ['between others, with the prefix for https', 'a=1; __Secure-tidemark.session_token=s3cret; b=2', 'a=1; b=2'],
    ['not there: the bytes stay', 'a=1;b="2";  c=tidemark.x', 'a=1;b="2";  c=tidemark.x'],
  ])('is not sent upstream: %s', async (_name, sent, seen) => {
    const { upstream, url } = await inFront(json);
    await post(url, { cookie: sent }, rpc(1, 'tools/list'));
    expect(upstream.seen[0]?.headers.cookie).toBe(seen);
  });

  test('is not replaced by an upstream, whose own cookies pass', async () => {
    const own = ['tidemark.session_token=x; Path=/', '__Secure-tidemark.session_token=x; Path=/; Secure'];
    const { url } = await inFront(({ res }) =>
      res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': [...own, 'theirs=1; Path=/'] }).end('{}'),
    );
    const { headers } = await post(url, {}, rpc(1, 'tools/list'));
    expect(headers['set-cookie']).toEqual(['theirs=1; Path=/']);
  });

  test.each([
    ['tidemark.session_token=1', null, true],
    [' tidemark.session_token=1', null, true],
    ['__Host-tidemark.session_token=1', null, true],
    ['tidemarks=1', 'tidemarks=1', false],
    ['x=tidemark.session_token', 'x=tidemark.session_token', false],
  ])('is told from the cookie %s', (cookie, rest, isOwn) => {
    expect(foreignCookies(cookie)).toBe(rest);
    expect(setsOwnCookie(cookie)).toBe(isOwn);
  });
});

describe('a document behind the proxy gets an origin of its own', () => {
  const serving = (type: string | null) =>
    inFront(({ res }) => res.writeHead(200, type === null ? {} : { 'content-type': type }).end('<script>1</script>'));

  test.each(['text/html', 'Text/HTML; charset=utf-8', 'application/xhtml+xml', 'image/svg+xml', 'text/xml'])(
    'by its type, %s',
    async (type) => {
      const { url } = await serving(type);
      expect((await fetchRaw(url)).headers['content-security-policy']).toBe('sandbox');
    },
  );

  test('since a browser is about to show it, whatever it says that it is', async () => {
    const { url } = await serving(null);
    expect((await fetchRaw(url, { headers: { 'sec-fetch-dest': 'document' } })).headers['content-security-policy']).toBe('sandbox');
    expect((await fetchRaw(url, { headers: { 'sec-fetch-dest': 'empty' } })).headers['content-security-policy']).toBeUndefined();
  });

  test.each(['application/json', 'text/event-stream', 'text/plain'])('%s passes as it came', async (type) => {
    const { url } = await serving(type);
    expect((await fetchRaw(url)).headers['content-security-policy']).toBeUndefined();
  });
});

describe('a page of a name of ours', () => {
  const policy: OriginPolicy = {
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'tide.example'],
    allowedOrigins: ['https://ide.example'],
  };
  test.each([
    ['on the port that it calls', 'tide.example', 'https://tide.example', null],
    ['on another port of the same name', 'tide.example', 'https://tide.example:8443', 403],
    ['on this machine, any port', 'localhost:4700', 'http://localhost:6274', null],
    ['on the machine of whoever calls a public name', 'tide.example', 'http://localhost:6274', 403],
    ['that is named, wherever', 'tide.example', 'https://ide.example', null],
    ['whose name is rebound', 'evil.example', 'http://evil.example', 421],
  ])('%s', (_name, host, origin, status) => {
    expect(refuseForeignOrigin({ host, origin }, policy)?.status ?? null).toBe(status);
  });
});
