import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { RecordOf, RecordType, TelemetryRecord } from '@/lib/wire/schema';

/** How the receiver answers; `hang` never does. */
export type Mood = { readonly status: number; readonly headers?: Record<string, string> } | 'hang';

/** A real HTTP intake that keeps what the application's own decoder accepts. */
export class RecordingReceiver {
  readonly records: TelemetryRecord[] = [];
  readonly problems: string[] = [];
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly count: number }[] = [];
  mood: Mood = { status: 202 };
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => this.#take(req, Buffer.concat(chunks), res));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #take(req: IncomingMessage, body: Buffer, res: ServerResponse): void {
    const text = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
    const lines = text.split('\n').filter((line) => line !== '');
    this.requests.push({ headers: req.headers, count: lines.length });
    const { mood } = this;
    if (mood !== 'hang') {
      const isTaken = mood.status === 202;
      if (isTaken) for (const line of lines) this.#keep(line);
      res.writeHead(mood.status, { 'content-type': 'application/json', ...mood.headers });
      res.end(JSON.stringify(isTaken ? { accepted: lines.length, duplicate: 0, rejected: [] } : { error: { code: 'test' } }));
    }
    for (const wake of this.#waiting) wake();
  }

  #keep(line: string): void {
    const decoded = decodeRecord(JSON.parse(line));
    if (decoded.ok) this.records.push(decoded.value);
    else this.problems.push(`${decoded.error.path} ${decoded.error.message}: ${line}`);
  }
}
