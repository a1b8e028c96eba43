import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running MCP endpoint on loopback. */
export interface RunningServer {
  readonly url: URL;
  readonly port: number;
  close(): Promise<void>;
}

export type HttpHandler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** Header under which a session that was kept elsewhere is initialized again by the server's own start. */
export const RESTORED_SESSION_HEADER = 'x-restored-session';

/** Milliseconds that a client is told to wait before it resumes. */
export const RETRY_MS = 40;

/** Listens on loopback only; port 0 takes any free one. */
export async function listenOnLoopback(handler: HttpHandler, port = 0): Promise<RunningServer> {
  const server: Server = createServer((req, res) => void handler(req, res));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${address.port}/mcp`),
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers what no session can: the missing or dead token. */
export function answerError(res: ServerResponse, status: number, code: number, message: string): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}

export function sessionHeader(req: IncomingMessage): string | undefined {
  const value = req.headers['mcp-session-id'];
  return Array.isArray(value) ? value[0] : value;
}

export function restoredHeader(req: IncomingMessage): string | undefined {
  const value = req.headers[RESTORED_SESSION_HEADER];
  return Array.isArray(value) ? value[0] : value;
}
