import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy } from '@/tests/proxy/start-proxy';

/** What the real clients do with each style of refusal: the experiment behind docs/proxy.md, re-run on every change. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A call whose stream ends after its first event, on a route that keeps nothing of it. */
async function refusingRoute(refusal: 'status' | 'terminal_error' | 'auto'): Promise<string> {
  const upstream = await scriptedUpstream(
    withSession('S1', ({ res, method }: SeenRequest) => {
      if (method === 'POST') openSse(res).end(`retry: 50\n${frame('e1')}${frame('e2').replace('id: e2\n', '')}`);
      else res.writeHead(405).end();
    }),
  );
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', refusal });
  cleanups.push(running.stop);
  return running.url();
}

const TIMEOUT = { timeout: 1500 };

const CLIENTS: [string, (url: string) => Promise<unknown>][] = [
  [
    'v1',
    async (url) => {
      const client = new Client({ name: 'c', version: '0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
      return client.callTool({ name: 't', arguments: {} }, undefined, TIMEOUT).finally(() => client.close());
    },
  ],
  [
    'v2',
    async (url) => {
      const client = new ClientV2({ name: 'c', version: '0' });
      await client.connect(new TransportV2(new URL(url)));
      return client.callTool({ name: 't', arguments: {} }, TIMEOUT).finally(() => client.close());
    },
  ],
];

test.each(CLIENTS)('client %s: the terminal error rejects the pending call with its reason', async (_name, call) => {
  for (const refusal of ['terminal_error', 'auto'] as const) {
    const failure = await call(await refusingRoute(refusal)).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: -32010, data: { type: 'resume_unavailable', next_step: 'reinitialize' } });
  }
});

test.each(CLIENTS)('client %s: a bare status leaves the call to its own timeout', async (_name, call) => {
  const failure = await call(await refusingRoute('status')).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).not.toBeNull();
  expect(failure).not.toMatchObject({ code: -32010 });
});
