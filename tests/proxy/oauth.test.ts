import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { type GuardedServer, guardedServer } from '@/tests/proxy/guarded-server';
import { fetchRaw, post, rpc } from '@/tests/proxy/raw-client';
import { type SeenRequest, scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { type RunningProxy, startProxy } from '@/tests/proxy/start-proxy';

/** Duty 6: who is told to authorize can find out where, get a token, and call; with the clients' own checks of what they are told. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function inFront(publicUrl?: string): Promise<{ server: GuardedServer; running: RunningProxy }> {
  const server = await guardedServer(publicUrl);
  cleanups.push(server.stop);
  const running = await startProxy({ upstream: server.url, mode: 'enforce' });
  cleanups.push(running.stop);
  return { server, running };
}

/** What a client keeps of an authorization, in memory; `code` is what the browser would bring back. */
class Wallet {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], client_name: 'c', token_endpoint_auth_method: 'none' };
  readonly kept: Record<string, unknown> = {};
  code = '';
  clientInformation = () => this.kept['client'] as never;
  tokens = () => this.kept['tokens'] as never;
  codeVerifier = () => String(this.kept['verifier']);
  discoveryState = () => this.kept['discovery'] as never;
  saveClientInformation = this.saver('client');
  saveTokens = this.saver('tokens');
  saveCodeVerifier = this.saver('verifier');
  saveDiscoveryState = this.saver('discovery');
  redirectToAuthorization = async (url: URL) => {
    const answer = await fetch(url, { redirect: 'manual' });
    this.code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  };

  private saver(name: string) {
    return (value: unknown): void => {
      this.kept[name] = value;
    };
  }
}

interface Line {
  readonly client: () => { connect: (transport: never) => Promise<void>; callTool: Client['callTool']; close: () => Promise<void> };
  readonly transport: (url: URL, wallet: Wallet) => { finishAuth: (code: string) => Promise<void> };
}

const LINES: Readonly<Record<string, Line>> = {
  v1: {
    client: () => new Client({ name: 'c', version: '0' }),
    transport: (url, authProvider) => new StreamableHTTPClientTransport(url, { authProvider }),
  },
  v2: {
    client: () => new ClientV2({ name: 'c', version: '0' }) as never,
    transport: (url, authProvider) => new TransportV2(url, { authProvider }),
  },
};

/** Connects, is told to authorize, does so, connects again, and calls. */
async function authorizeAndCall({ client, transport }: Line, url: string): Promise<unknown> {
  const wallet = new Wallet();
  const first = transport(new URL(url), wallet);
  await expect(client().connect(first as never)).rejects.toThrow(/Unauthorized/);
  await first.finishAuth(wallet.code);
  const connected = client();
  await connected.connect(transport(new URL(url), wallet) as never);
  const { content } = await connected.callTool({ name: 'greet', arguments: {} });
  await connected.close();
  return content;
}

const WELCOME = [{ type: 'text', text: 'welcome' }];

test.each(Object.entries(LINES))('6: a client of line %s discovers, gets a token for the route’s URL, and calls', async (_name, line) => {
  const { server, running } = await inFront();
  expect(await authorizeAndCall(line, running.url())).toEqual(WELCOME);
  expect(server.asked).toEqual([running.url()]);
});

test.each(Object.entries(LINES))(
  '6: the same in front of a server that names itself by another host and path: line %s',
  async (_name, line) => {
    const { server, running } = await inFront('https://mcp.example/some/where');
    expect(await authorizeAndCall(line, running.url())).toEqual(WELCOME);
    expect(server.asked).toEqual([running.url()]);
  },
);

test('6: a challenge keeps all but where it leads; one that leads nowhere of that kind stays as it is', async () => {
  const upstream = await scriptedUpstream(({ res, url }: SeenRequest) => {
    res.writeHead(url.includes('scope') ? 403 : 401, [
      ...[
        'WWW-Authenticate',
        'Bearer realm="a, b", resource_metadata=http://up.example/.well-known/oauth-protected-resource/mcp, scope="x"',
      ],
      ...['WWW-Authenticate', 'DPoP algs="ES256", resource_metadata="https://up.example/.well-known/oauth-protected-resource"'],
      ...['WWW-Authenticate', 'Basic realm="resource_metadata=none"'],
      ...['X-Other', 'resource_metadata="https://up.example/.well-known/oauth-protected-resource"'],
    ]);
    res.end();
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(running.stop);
  const own = `${running.origin}/.well-known/oauth-protected-resource/proxy/r`;
  const valuesOf = (raw: readonly string[], name: string) => raw.filter((_text, i) => raw[i - 1] === name);
  for (const answer of [await post(running.url(), {}, rpc(1, 'x')), await fetchRaw(`${running.url()}?scope`)]) {
    expect(valuesOf(answer.rawHeaders, 'WWW-Authenticate')).toEqual([
      `Bearer realm="a, b", resource_metadata="${own}?of=%2Fmcp", scope="x"`,
      `DPoP algs="ES256", resource_metadata="${own}?of="`,
      'Basic realm="resource_metadata=none"',
    ]);
    expect(valuesOf(answer.rawHeaders, 'X-Other')).toEqual(['resource_metadata="https://up.example/.well-known/oauth-protected-resource"']);
  }
});

test('6: behind a gateway that serves the proxy under the upstream’s own name nothing is rewritten', async () => {
  const upstream = await scriptedUpstream(({ res, url }: SeenRequest) => {
    if (url.startsWith('/.well-known/')) res.end('{"resource":"https://mcp.example/"}');
    else
      res
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"' })
        .end();
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' }, { allowedHosts: ['mcp.example'] });
  cleanups.push(running.stop);
  const headers = { host: 'mcp.example', 'x-forwarded-proto': 'https' };
  expect((await post(running.url(), headers, rpc(1, 'x'))).headers['www-authenticate']).toContain('"https://mcp.example/.well-known');
  const metadata = await fetchRaw(`${running.origin}/.well-known/oauth-protected-resource/proxy/r`, { headers });
  expect(metadata.body).toBe('{"resource":"https://mcp.example/"}');
});

test('6: metadata is looked for where the challenge said, beside the endpoint, and at the root; nothing else can be asked for', async () => {
  const upstream = await scriptedUpstream(({ res, url }: SeenRequest) => {
    const isThere = url === '/.well-known/oauth-protected-resource' || !url.startsWith('/.well-known/');
    res.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' }).end('{"resource":"http://up/","signed_metadata":"e30"}');
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(running.stop);
  const own = `${running.origin}/.well-known/oauth-protected-resource/proxy/r`;
  expect(JSON.parse((await fetchRaw(`${own}?of=%2Felse`)).body)).toEqual({ resource: running.url() });
  expect(upstream.seen.map(({ url }) => url)).toEqual([
    '/.well-known/oauth-protected-resource/else',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource',
  ]);
  upstream.seen.length = 0;
  for (const hostile of ['/../../secret', '/%2e%2e/%2e%2e/secret', '-secret', '/..//evil.example/x']) {
    await fetchRaw(`${own}?of=${encodeURIComponent(hostile)}`);
  }
  expect(upstream.seen.every(({ url }) => /^\/\.well-known\/oauth-protected-resource(\/|$)/.test(url))).toBe(true);
});
