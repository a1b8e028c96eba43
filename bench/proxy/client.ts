import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Kind, Running } from './processes';

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const pathOf = (kind: Kind): string => (kind === 'direct' ? '/mcp' : '/proxy/r');

type Headers = Readonly<Record<string, string>>;

function send(running: Running, query: string, method: string, headers: Headers, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: running.port,
        path: pathOf(running.kind) + query,
        method,
        headers: { accept: 'application/json, text/event-stream', ...headers },
        agent,
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Initializes a session; answers the headers of its later requests. */
export async function openSession(running: Running): Promise<Headers> {
  const body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}';
  const response = await send(running, '', 'POST', { 'content-type': 'application/json', 'content-length': String(body.length) }, body);
  response.resume();
  await new Promise((resolve) => response.once('end', resolve));
  return { 'mcp-session-id': String(response.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
}

export interface OpenStream {
  readonly response: IncomingMessage;
  /** Leaves the stream and ends its session, so that no proxy reads on for a client that may come back. */
  readonly end: () => Promise<void>;
}

/** Opens a session's standalone stream, of a new session unless one is given. */
export async function openStream(running: Running, query: string, session?: Headers): Promise<OpenStream> {
  const headers = session ?? (await openSession(running));
  const response = await send(running, query, 'GET', headers);
  if (response.statusCode !== 200) throw new Error(`a stream through ${running.kind} was answered ${response.statusCode}`);
  response.on('error', () => undefined);
  const end = async (): Promise<void> => {
    response.destroy();
    const ended = await send(running, '', 'DELETE', headers);
    ended.resume();
    await new Promise((resolve) => ended.once('end', resolve));
  };
  return { response, end };
}

/**
 * Keeps `connections` sockets busy with one POST after the other for a while; answers how many were answered. Bytes
 * are built once and answers are measured, not parsed: a client of `node:http` costs as much as the proxies and
 * would be what is measured.
 */
export async function postFor(running: Running, connections: number, ms: number): Promise<number> {
  const session = await openSession(running);
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
  const lines = [
    `POST ${pathOf(running.kind)} HTTP/1.1`,
    `Host: 127.0.0.1:${running.port}`,
    'Accept: application/json, text/event-stream',
    'Content-Type: application/json',
    ...Object.entries(session).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  const until = performance.now() + ms;
  const counts = await Promise.all(Array.from({ length: connections }, () => postOn(running.port, bytes, until)));
  return counts.reduce((sum, one) => sum + one, 0);
}

function postOn(port: number, bytes: Buffer, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let pending = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      const rest = afterAnswer(pending);
      if (rest === null) return;
      pending = rest;
      count++;
      if (performance.now() < until) socket.write(bytes);
      else {
        socket.destroy();
        resolve(count);
      }
    });
    socket.on('close', () => resolve(count));
  });
}

/** What follows a whole answer; null while it is not whole. */
function afterAnswer(text: string): string | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`a POST was answered ${text.slice(0, 40)}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1];
  if (length !== undefined) {
    const end = headEnd + 4 + Number(length);
    return text.length < end ? null : text.slice(end);
  }
  const end = text.indexOf('0\r\n\r\n', headEnd);
  return end === -1 ? null : text.slice(end + 5);
}
