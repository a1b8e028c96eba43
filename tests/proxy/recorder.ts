import { createServer, type RequestListener, request } from 'node:http';
import { freePort } from '@/demo/children/free-port';
import { listen, stopServer } from '@/tests/proxy/start-proxy';

/** One request and its answer as they went over a wire. */
export interface Exchange {
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly body: () => string;
  /** Null until the answer's head came. */
  readonly answer: () => { readonly status: number; readonly rawHeaders: readonly string[]; readonly body: string } | null;
}

export interface Recorder {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Cuts every connection and listens no more. */
  readonly stop: () => Promise<void>;
  /** Listens again at the same address. */
  readonly restart: () => Promise<void>;
}

/** Hands on to `target` whatever comes, and keeps a copy of both directions. */
export async function recorder(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const { origin, pathname } = new URL(target);
  const serve: RequestListener = (req, res) => {
    const sent: Buffer[] = [];
    const got: Buffer[] = [];
    let head: { status: number; rawHeaders: string[] } | null = null;
    exchanges.push({
      method: req.method ?? '',
      rawHeaders: req.rawHeaders,
      body: () => Buffer.concat(sent).toString('latin1'),
      answer: () => (head === null ? null : { ...head, body: Buffer.concat(got).toString('latin1') }),
    });
    const onward = request(`${origin}${req.url}`, { method: req.method, headers: req.rawHeaders, agent: false }, (response) => {
      head = { status: response.statusCode ?? 0, rawHeaders: response.rawHeaders };
      res.writeHead(head.status, response.rawHeaders);
      res.flushHeaders();
      response.on('data', (chunk: Buffer) => {
        got.push(chunk);
        res.write(chunk);
      });
      response.on('end', () => res.end());
      response.on('error', () => res.destroy());
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.on('data', (chunk: Buffer) => {
      sent.push(chunk);
      onward.write(chunk);
    });
    req.on('end', () => onward.end());
    req.on('error', () => onward.destroy());
  };
  let server = createServer(serve);
  const port = await listen(server, await freePort());
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    exchanges,
    stop: () => stopServer(server),
    restart: async () => {
      server = createServer(serve);
      await listen(server, port);
    },
  };
}
