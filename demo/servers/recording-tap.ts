import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { guardResume, type Tidemark } from '@/packages/mcp/src/index';
import { listenOnLoopback, type RunningServer } from './mcp-server';

export interface RecordingTap extends RunningServer {
  /** Cuts every open answer, as a network does. */
  cut(): void;
}

/**
 * Stands in front of a server whose store cannot be wrapped: passes every byte as it is and reports what went
 * by. It sees which ids were ever sent, never what the server still keeps, and claims no more than that.
 */
export async function startRecordingTap(target: URL, tidemark: Tidemark): Promise<RecordingTap> {
  const open = new Set<ServerResponse>();
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    open.add(res);
    res.once('close', () => open.delete(res));
    relay(target, req, res);
  };
  const running = await listenOnLoopback(guardResume(pass, { tidemark, enforce: false, learnFromWire: true }));
  return {
    ...running,
    cut: () => {
      for (const res of open) res.destroy();
    },
  };
}

function relay(target: URL, req: IncomingMessage, res: ServerResponse): void {
  const upstream = httpRequest(target, { method: req.method, headers: { ...req.headers, host: target.host } }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    res.flushHeaders();
    answer.pipe(res);
    answer.once('error', () => res.destroy());
  });
  upstream.once('error', () => {
    if (res.headersSent) res.destroy();
    else res.writeHead(502).end();
  });
  res.once('close', () => upstream.destroy());
  req.pipe(upstream);
}
