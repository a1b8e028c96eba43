/**
 * A server for tests, in a process of its own: the worst that a restart can be. It takes every session token for one of
 * its own, numbers events from 1 in each session and after each start, and answers any cursor with 200 and what it has
 * beyond that number. A newer listener takes the place of an older one. `POST /emit` appends events; the data of each names the process that sent it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Session {
  readonly events: { readonly id: string; readonly text: string }[];
  stream: ServerResponse | null;
}

const sessions = new Map<string, Session>();

function sessionOf(token: string): Session {
  const known = sessions.get(token);
  if (known !== undefined) return known;
  const session: Session = { events: [], stream: null };
  sessions.set(token, session);
  return session;
}

const frame = ({ id, text }: Session['events'][number], padding: string): string => {
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text, padding } };
  return `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`;
};

function emit(token: string, count: number, padding: string): string[] {
  const session = sessionOf(token);
  return Array.from({ length: count }, () => {
    const id = String(session.events.length + 1);
    const event = { id, text: `${process.pid}.${id}` };
    session.events.push(event);
    session.stream?.write(frame(event, padding));
    return event.text;
  });
}

/** Writes as fast as the reader takes it, and keeps nothing. */
function flood(res: ServerResponse, total: number, padding: string): void {
  let sent = 0;
  const more = () => {
    while (sent < total) {
      sent++;
      if (!res.write(frame({ id: `f${sent}`, text: String(sent) }, padding))) {
        res.once('drain', more);
        return;
      }
    }
  };
  more();
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.url === '/healthz') {
    res.end('ok');
    return;
  }
  if (req.url === '/emit') {
    const { tokens, count, bytes } = (await bodyOf(req)) as { tokens: string[]; count: number; bytes: number };
    res.end(JSON.stringify(tokens.map((token) => emit(token, count, 'x'.repeat(bytes))).at(-1) ?? []));
    return;
  }
  if (req.method === 'POST') {
    const message = (await bodyOf(req)) as { id?: unknown; method: string };
    if (message.id === undefined) res.writeHead(202).end();
    else {
      const minted = message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {};
      res.writeHead(200, { 'content-type': 'application/json', ...minted });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
    }
    return;
  }
  const session = sessionOf(String(req.headers['mcp-session-id']));
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  const flooding = /^(\d+)x(\d+)$/.exec(String(req.headers['flood'] ?? ''));
  if (flooding !== null) flood(res, Number(flooding[1]), 'x'.repeat(Number(flooding[2])));
  session.stream?.end();
  session.stream = res;
  const cursor = Number(req.headers['last-event-id'] ?? Number.MAX_SAFE_INTEGER);
  for (const event of session.events.slice(cursor)) res.write(frame(event, ''));
}

createServer((req, res) => {
  res.on('error', () => undefined);
  answer(req, res).catch(() => res.destroy());
}).listen(Number(process.env['PORT']), '127.0.0.1');
