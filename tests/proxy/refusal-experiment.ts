import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy } from '@/tests/proxy/start-proxy';

/** What the real clients do with each style of refusal. `npm run experiment:refusals` prints the table of docs/proxy.md. */
export const STYLES = ['status', 'terminal_error', 'auto'] as const;
export type Style = (typeof STYLES)[number];

/** A connected client: how it calls a tool, and how it goes. */
interface Connected {
  readonly call: (timeoutMs: number) => Promise<unknown>;
  readonly errors: string[];
  readonly close: () => Promise<void>;
}

const require = createRequire(import.meta.url);
const SAID = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'said' } };
const params = { name: 't', arguments: {} };

export const CLIENTS: Readonly<Record<string, (url: string) => Promise<Connected>>> = {
  'SDK v1': async (url) => {
    const client = new Client({ name: 'c', version: '0' });
    const errors: string[] = [];
    client.onerror = (error) => errors.push(error.message);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
    return { call: (timeout) => client.callTool(params, undefined, { timeout }), errors, close: () => client.close() };
  },
  'SDK v2': async (url) => {
    const client = new ClientV2({ name: 'c', version: '0' });
    const errors: string[] = [];
    client.onerror = (error) => errors.push(error.message);
    await client.connect(new TransportV2(new URL(url)));
    return { call: (timeout) => client.callTool(params, { timeout }), errors, close: () => client.close() };
  },
  'mcp-remote': async (url) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-remote-'));
    const program = require.resolve('mcp-remote/package.json').replace(/package\.json$/, 'dist/proxy.js');
    const client = new Client({ name: 'c', version: '0' });
    const errors: string[] = [];
    client.onerror = (error) => errors.push(error.message);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, url, '--allow-http', '--transport', 'http-only'],
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'ignore',
    });
    await client.connect(transport as never);
    const close = async () => {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { call: (timeout) => client.callTool(params, undefined, { timeout }), errors, close };
  },
};

export interface Outcome {
  /** Resumes that the client tried. */
  readonly resumes: number;
  /** How the pending call ended. */
  readonly code: number | string | null;
  readonly reason: string | null;
  /** Errors beside the call that the client told of. */
  readonly errors: readonly string[];
  /** Sessions that it started since. */
  readonly newSessions: number;
  /** Whether a later call went through under the old session. */
  readonly isNextServed: boolean;
}

/** A call whose stream ends after its first event, on a route that keeps nothing of it: what each party did about the refusal. */
export async function experiment(client: keyof typeof CLIENTS, refusal: Style, timeoutMs: number): Promise<Outcome> {
  let calls = 0;
  const upstream = await scriptedUpstream(
    withSession('S1', ({ res, method, body }: SeenRequest) => {
      if (method !== 'POST') res.writeHead(405).end();
      else if (++calls === 1) openSse(res).end(`retry: 50\n${frame('e1', SAID)}${frame('e2', SAID).replace('id: e2\n', '')}`);
      else {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body.toString()).id, result: { content: [] } }));
      }
    }),
  );
  const proxy = await startProxy({ upstream: upstream.url, mode: 'enforce', refusal });
  try {
    const connect = CLIENTS[client];
    if (connect === undefined) throw new Error(`no client ${client}`);
    const connected = await connect(proxy.url());
    const before = upstream.seen.filter(isInitialize).length;
    const ended = await connected.call(timeoutMs).then(
      () => null,
      (error: { code?: number | string; data?: { reason?: string } }) => error,
    );
    const next = await connected.call(timeoutMs).then(
      () => true,
      () => false,
    );
    await connected.close();
    proxy.proxy.routes();
    await proxy.stop();
    return {
      resumes: proxy.records.filter(({ type }) => type === 'resume_attempt').length,
      code: ended?.code ?? null,
      reason: ended?.data?.reason ?? null,
      errors: connected.errors,
      newSessions: upstream.seen.filter(isInitialize).length - before,
      isNextServed: next,
    };
  } finally {
    await proxy.stop();
    await upstream.stop();
  }
}

const isInitialize = ({ body }: SeenRequest): boolean => body.includes('"initialize"');

/** Codes with which clients say that their own time limit ended a call. */
const isTimeout = (code: Outcome['code']): boolean => code === -32001 || code === 'REQUEST_TIMEOUT';

const endOf = ({ code, reason }: Outcome): string => {
  if (reason !== null) return `rejects at once, ${code} \`${reason}\``;
  return isTimeout(code) ? 'hangs to its own time limit' : `rejects, ${code}`;
};

const lineOf = (client: string, style: Style, outcome: Outcome): string => {
  const { resumes, errors, newSessions, isNextServed } = outcome;
  const cells = [client, `\`${style}\``, resumes, endOf(outcome), errors.length, isNextServed ? 'served' : 'fails', newSessions];
  return `| ${cells.join(' | ')} |`;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log('| client | style | resumes tried | pending call | other errors told | next call | new sessions |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const client of Object.keys(CLIENTS))
    for (const style of STYLES) console.log(lineOf(client, style, await experiment(client, style, 8000)));
}
