/** Upstream of the bench: sessions, answers to POSTs, and event streams of ~300 bytes an event. Run: tsx upstream.ts PORT */
import { createServer } from 'node:http';

const PAD = 'x'.repeat(150);
let sessions = 0;

/**
 * Streams of one rate take turns, a step of a millisecond after the other, however fast they were opened: every proxy is
 * woken as often, and for as many events at once, as any other.
 */
class Wheel {
  private readonly slots: Set<() => void>[];
  private at = Math.floor(performance.now());
  private next = 0;

  constructor(periodMs: number) {
    this.slots = Array.from({ length: periodMs }, () => new Set());
    setInterval(() => this.turn(), 1);
  }

  add(send: () => void): () => void {
    const slot = this.slots[this.next++ % this.slots.length];
    slot?.add(send);
    return () => void slot?.delete(send);
  }

  private turn(): void {
    for (const now = performance.now(); this.at < now; this.at++) for (const send of this.slots[this.at % this.slots.length] ?? []) send();
  }
}

const wheels = new Map<number, Wheel>();

/** Calls `send` once in every period until the answer is called. */
function pace(periodMs: number, send: () => void): () => void {
  const wheel = wheels.get(periodMs) ?? new Wheel(periodMs);
  wheels.set(periodMs, wheel);
  return wheel.add(send);
}

/** Streams that say nothing until `POST /wake` has each send one event. */
const idle = new Set<() => void>();

const server = createServer((req, res) => {
  const url = new URL(req.url ?? '/', 'http://x');
  if (url.pathname === '/wake') {
    for (const send of idle) send();
    res.end(String(idle.size));
    return;
  }
  if (req.method === 'POST') {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      const rpc = JSON.parse(body);
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (rpc.method === 'initialize') headers['mcp-session-id'] = `session-${++sessions}`;
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id: rpc.id,
        result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'b', version: '0' } },
      });
      res.writeHead(200, { ...headers, 'content-length': String(text.length) });
      res.end(text);
    });
    return;
  }
  if (req.method === 'DELETE') {
    res.writeHead(200, { 'content-length': '0' });
    res.end();
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
  res.flushHeaders();
  const rate = Number(url.searchParams.get('rate') ?? 0);
  const total = Number(url.searchParams.get('total') ?? 0);
  const tag = Math.random().toString(36).slice(2, 10);
  let n = 0;
  const frame = () => {
    n++;
    return `event: message\nid: ${tag}_${String(n).padStart(10, '0')}\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"t":${performance.timeOrigin + performance.now()},"n":${n},"pad":"${PAD}"}}\n\n`;
  };
  if (rate > 0)
    res.on(
      'close',
      pace(1000 / rate, () => res.write(frame())),
    );
  else if (total > 0) {
    const more = () => {
      while (n < total) {
        if (!res.write(frame())) {
          res.once('drain', () => setImmediate(more));
          return;
        }
      }
      res.end();
    };
    more();
  } else {
    const send = (): void => void res.write(frame());
    idle.add(send);
    res.on('close', () => idle.delete(send));
  }
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1', 20_000, () => console.log('up'));
