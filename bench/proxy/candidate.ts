/** One proxy under test. Run: tsx candidate.ts KIND PORT UPSTREAM_PORT [REDIS_URL] */
import { Agent, createServer, request, type Server } from 'node:http';
import { createProxyServer } from 'http-proxy-3';
import { createProxy } from '@/lib/proxy/create-proxy';
import { MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';

const [kind = '', port, upstreamPort, redisUrl] = process.argv.slice(2);

function pipe(): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  return createServer((req, res) => {
    const upstream = request(
      {
        host: '127.0.0.1',
        port: upstreamPort,
        path: (req.url ?? '').replace('/proxy/r', '/mcp'),
        method: req.method,
        headers: req.headers,
        agent,
      },
      (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers);
        res.flushHeaders();
        response.pipe(res);
      },
    );
    upstream.on('error', () => res.destroy());
    res.on('close', () => {
      if (!res.writableFinished) upstream.destroy();
    });
    req.pipe(upstream);
  });
}

function httpProxy3(): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const proxy = createProxyServer({ target: `http://127.0.0.1:${upstreamPort}`, agent });
  proxy.on('error', () => undefined);
  return createServer((req, res) => proxy.web(req, res));
}

const sharedStore = (url: string): RedisLogStore =>
  new RedisLogStore({
    url,
    node: `bench-${process.pid}`,
    clock: Date.now,
    retention: ROUTE_DEFAULTS.buffer,
    // It is stopped right after its replicas, and they may notice.
    onError: () => undefined,
  });

function tidemark(replay: 'upstream' | 'proxy'): Server {
  let records = 0;
  const proxy = createProxy({
    routes: [{ name: 'r', ...ROUTE_DEFAULTS, upstream: `http://127.0.0.1:${upstreamPort}/mcp`, mode: 'enforce', replay }],
    store: redisUrl === undefined ? new MemoryLogStore(Date.now) : sharedStore(redisUrl),
    secret: 'bench',
    sink: (batch) => {
      records += batch.length;
    },
    log: () => undefined,
  });
  process.on('SIGINT', () => console.error(`${records} records`));
  return createServer((req, res) => proxy.handle(req, res, 'r', (req.url ?? '').slice('/proxy/r'.length)));
}

const server =
  kind === 'pipe' ? pipe() : kind === 'http-proxy-3' ? httpProxy3() : tidemark(kind === 'tidemark-retain' ? 'proxy' : 'upstream');
process.on('SIGTERM', () => process.exit(0));
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', 20_000, () => console.log('up'));
