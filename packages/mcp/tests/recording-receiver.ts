import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { freePort } from '@/demo/children/free-port';
import { parseJsonExactly } from '@/lib/base/json';
import { type BatchOrigin, originOfHeaders } from '@/lib/intake/batch-origin';
import { TelemetrySockets } from '@/lib/intake/telemetry-sockets';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { RecordOf, RecordType, TelemetryRecord } from '@/lib/wire/schema';

/** How the receiver answers; `hang` never does, `drop` cuts the connection of the next request and is over. With a `body` it is something else than the intake, and keeps nothing. */
export type Mood = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | 'hang' | 'drop';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly origin: BatchOrigin | null;
  readonly count: number;
}

/**
 * A real intake by HTTP and WebSocket, with the application's own decoder and sockets, that keeps every record
 * once in memory.
 */
export class RecordingReceiver {
  readonly records: TelemetryRecord[] = [];
  readonly problems: string[] = [];
  readonly requests: Received[] = [];
  /** Upgrades that were asked for, taken or not. */
  upgrades = 0;
  duplicates = 0;
  mood: Mood = { status: 202 };
  readonly #ids = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #open = new Set<Duplex>();
  readonly #server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => this.#take(req, Buffer.concat(chunks), res));
  }).on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(req, socket, head));
  readonly #sockets = new TelemetrySockets({
    submit: async ({ values }, origin) => {
      this.requests.push({ headers: {}, origin: origin ?? null, count: values.length });
      if (this.mood === 'hang') {
        this.#wake();
        return new Promise<never>(() => undefined);
      }
      const before = this.duplicates;
      for (const value of values) this.#keep(value);
      this.#wake();
      const duplicate = this.duplicates - before;
      return { accepted: values.length - duplicate, duplicate, rejected: [] };
    },
    refusalOfFrame: ({ code, message }) => ({ error: { code, message }, retryAfter: null }),
    refusalOfCause: (cause) => ({ error: { code: 'internal', message: String(cause) }, retryAfter: null }),
    now: Date.now,
  });

  async listen(port?: number): Promise<string> {
    const at = port ?? (await freePort());
    await new Promise<void>((resolve) => this.#server.listen(at, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  of<T extends RecordType>(type: T): RecordOf<T>[] {
    return this.records.filter((record) => record.type === type) as RecordOf<T>[];
  }

  /** Resolves when the condition holds; it is asked again with every batch. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  /** Cuts every WebSocket, as a network does. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.upgrades += 1;
    const { mood } = this;
    if (typeof mood === 'string' || mood.status === 202) {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      this.#sockets.accept(req, socket, head);
    } else socket.end(`HTTP/1.1 ${mood.status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    this.#wake();
  }

  #take(req: IncomingMessage, body: Buffer, res: ServerResponse): void {
    const text = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
    const lines = text.split('\n').filter((line) => line !== '');
    const origin = originOfHeaders(req.headers);
    if (!origin.ok) this.problems.push(`${origin.error.path} ${origin.error.message}`);
    this.requests.push({ headers: req.headers, origin: origin.ok ? origin.value : null, count: lines.length });
    const { mood } = this;
    if (mood === 'drop') {
      this.mood = { status: 202 };
      req.socket.destroy();
    } else if (mood !== 'hang') {
      const isTaken = mood.status === 202 && mood.body === undefined;
      if (isTaken) for (const line of lines) this.#keep(parseJsonExactly(line));
      res.writeHead(mood.status, { 'content-type': 'application/json', ...mood.headers });
      res.end(mood.body ?? JSON.stringify(isTaken ? { accepted: lines.length, duplicate: 0, rejected: [] } : { error: { code: 'test' } }));
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #keep(value: unknown): void {
    const decoded = decodeRecord(value);
    if (!decoded.ok) {
      this.problems.push(`${decoded.error.path} ${decoded.error.message}: ${JSON.stringify(value)}`);
      return;
    }
    const { id = '' } = decoded.value;
    if (this.#ids.has(id)) this.duplicates += 1;
    else this.records.push(decoded.value);
    this.#ids.add(id);
  }
}
