/**
 * Tool calls over connections that stay open, as cheap as they can be made: requests are put together once, and of an
 * answer only its status, its end and the call's own text are looked at. Load takes its time from the machine that
 * the server runs on, and a load that is dearer than the server hides what the server costs.
 */
import { connect, type Socket } from 'node:net';

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const CLOSED = 'the server closed the connection';
/** Calls that are put together per session; their ids come round again when they were answered long since. */
const CALLS = 64;

/** One connection, which carries one request at a time. */
class Connection {
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #isClosed = false;
  #waiting: { readonly resolve: (answer: Buffer) => void; readonly reject: (cause: Error) => void } | null = null;

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('error', (cause) => this.#waiting?.reject(cause));
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#waiting?.reject(new Error(CLOSED));
    });
  }

  /** Resolves with the whole answer as it came. */
  send(request: Buffer): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(new Error(CLOSED));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#parts.push(bytes);
    const [first = bytes] = this.#parts;
    const answer = this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    if (!answer.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return;
    this.#parts = [];
    this.#waiting?.resolve(answer);
  }
}

interface Call {
  readonly request: Buffer;
  readonly expected: Buffer;
}

/** Several connections with several sessions each. */
export class Load {
  readonly #lanes: { readonly connection: Connection; readonly calls: readonly Call[]; next: number }[] = [];

  private constructor() {}

  /** Opens every session. */
  static async open(port: number, connections: number, sessionsEach: number): Promise<Load> {
    const load = new Load();
    for (let n = 0; n < connections; n++) {
      const connection = new Connection(port);
      const sessions: string[] = [];
      for (let s = 0; s < sessionsEach; s++) sessions.push(await openSession(connection));
      const calls = Array.from({ length: CALLS * sessionsEach }, (_, id) => callOf(sessions[id % sessionsEach] ?? '', id + 1));
      load.#lanes.push({ connection, calls, next: 0 });
    }
    return load;
  }

  /** Calls over every connection, one after another on each, for `ms`. Returns the latencies in milliseconds. */
  async run(ms: number): Promise<number[]> {
    const latencies: number[] = [];
    const until = performance.now() + ms;
    stayAwake(until);
    await Promise.all(
      this.#lanes.map(async (lane) => {
        for (let sentAt = performance.now(); sentAt < until; ) {
          const call = lane.calls[lane.next++ % lane.calls.length];
          if (call === undefined) return;
          check(await lane.connection.send(call.request), call.expected);
          const now = performance.now();
          latencies.push(now - sentAt);
          sentAt = now;
        }
      }),
    );
    return latencies;
  }

  close(): void {
    for (const { connection } of this.#lanes) connection.close();
  }
}

/**
 * Keeps this process from sleeping until then. A load that sleeps between two answers has to be woken by the server,
 * which then pays for that in its own time, and the more of it the slower it answers: a cost of the load alone.
 */
function stayAwake(until: number): void {
  if (performance.now() < until) setImmediate(() => stayAwake(until));
}

async function openSession(connection: Connection): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const answer = await connection.send(requestOf(null, { jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  const [, token] = /^mcp-session-id: (\S+)/im.exec(answer.toString('latin1')) ?? [];
  if (token === undefined) throw new Error('initialize was answered without a session');
  await connection.send(requestOf(token, { jsonrpc: '2.0', method: 'notifications/initialized' }));
  return token;
}

function callOf(token: string, id: number): Call {
  const params = { name: 'echo', arguments: { text: `call ${id}` } };
  return { request: requestOf(token, { jsonrpc: '2.0', id, method: 'tools/call', params }), expected: Buffer.from(`"call ${id} `) };
}

function requestOf(token: string | null, message: unknown): Buffer {
  const body = JSON.stringify(message);
  const head = [
    'POST /mcp HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(token === null ? [] : [`mcp-session-id: ${token}`, 'mcp-protocol-version: 2025-11-25']),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function check(answer: Buffer, expected: Buffer): void {
  if (answer.toString('latin1', 9, 12) === '200' && answer.includes(expected)) return;
  throw new Error(`a call was answered ${answer.toString('utf8', 0, 200)}`);
}
