import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { freePort } from '@/demo/children/free-port';
import { listen, stopServer } from '@/tests/proxy/start-proxy';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly res: ServerResponse;
  /** Whether the peer went away before the response ended. */
  isAborted: boolean;
}

export interface ScriptedUpstream {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  readonly stop: () => Promise<void>;
  /** Cuts every connection and stops listening, as a killed process does. */
  readonly kill: () => Promise<void>;
  /** Listens again on the same port. */
  readonly restart: () => Promise<void>;
  /** What the server does with a request; replaceable at any time. */
  answer: (request: SeenRequest) => void;
}

/** A real HTTP server whose answers a test writes byte by byte. */
export async function scriptedUpstream(
  answer: (request: SeenRequest) => void,
  path = '/mcp',
  pem: string | null = null,
): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = [];
  const make = () => {
    const serve: RequestListener = (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('error', () => undefined);
      req.on('end', () => {
        const { method = '', url = '', rawHeaders, headers } = req;
        const request: SeenRequest = { method, url, rawHeaders, headers, body: Buffer.concat(chunks), res, isAborted: false };
        res.on('close', () => {
          request.isAborted = !res.writableFinished;
        });
        seen.push(request);
        upstream.answer(request);
      });
    };
    return pem === null ? createServer(serve) : createTlsServer({ key: pem, cert: pem }, serve);
  };
  let server = make();
  const port = await listen(server, await freePort());
  const upstream: ScriptedUpstream = {
    url: `${pem === null ? 'http' : 'https'}://127.0.0.1:${port}${path}`,
    port,
    seen,
    stop: () => stopServer(server),
    kill: () => stopServer(server),
    restart: async () => {
      server = make();
      await listen(server, port);
    },
    answer,
  };
  return upstream;
}

const SSE = { 'content-type': 'text/event-stream' };

/** Answers `initialize` with a session and everything else by the given function. */
export const withSession =
  (token: string, rest: (request: SeenRequest) => void) =>
  (request: SeenRequest): void => {
    const rpc = request.body.length === 0 ? null : JSON.parse(request.body.toString());
    if (rpc?.method === 'initialize') {
      request.res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': token });
      request.res.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: rpc.id,
          result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '0' } },
        }),
      );
    } else if (rpc?.method === 'ping') {
      request.res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: {} }));
    } else if (rpc?.method?.startsWith('notifications/')) request.res.writeHead(202).end();
    else rest(request);
  };

export const openSse = (res: ServerResponse, status = 200): ServerResponse => {
  res.writeHead(status, SSE);
  res.flushHeaders();
  return res;
};

/** An event with an id and a notification that names it. */
export const frame = (id: string, data: unknown = { jsonrpc: '2.0', method: 'notifications/progress', params: { n: id } }): string =>
  `event: message\nid: ${id}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const resultFor = (id: unknown): unknown => ({ jsonrpc: '2.0', id, result: { content: [] } });
