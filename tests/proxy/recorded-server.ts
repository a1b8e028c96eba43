import type { ServerResponse } from 'node:http';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { type EventLedger, eventIds, type LedgerEvent } from '@/tests/proxy/event-ledger';
import { openSse, type ScriptedUpstream, type SeenRequest, scriptedUpstream } from '@/tests/proxy/scripted-upstream';

type ExpectedRecord = Extract<TelemetryRecord, { type: 'open' | 'request' | 'resume_attempt' }>;

interface ServerConn {
  readonly res: ServerResponse;
  readonly session: string;
  readonly stream: string;
  readonly written: Set<string>;
  /** Whether the recorded client is still there: then the records of deliveries say what is written. */
  isRecordedOpen: boolean;
}

/** The server's side of a recorded history: it answers each request as the record of it says that the recorded server did. */
export class RecordedServer {
  private readonly tokens = new Map<string, string>();
  private readonly dead = new Set<string>();
  private readonly conns = new Map<string, ServerConn>();
  private expected: ExpectedRecord | null = null;
  private minting: string | null = null;
  private instance = 1;
  private hasBegun = false;

  private constructor(
    private readonly upstream: ScriptedUpstream,
    private readonly ledger: EventLedger,
  ) {
    upstream.answer = (request) => this.answer(request);
  }

  static async start(ledger: EventLedger): Promise<RecordedServer> {
    return new RecordedServer(await scriptedUpstream(() => undefined), ledger);
  }

  get url(): string {
    return this.upstream.url;
  }

  stop(): Promise<void> {
    return this.upstream.stop();
  }

  mintNext(session: string): void {
    this.minting = session;
  }

  /** The next requests are those that this record is of. */
  expect(record: ExpectedRecord): void {
    this.expected = record;
  }

  /** What the server did before its client noticed. */
  async before(record: TelemetryRecord): Promise<void> {
    const session = record.session ?? 'S1';
    if (record.type === 'session') {
      this.hasBegun = true;
      if (record.event === 'evicted') this.dead.add(session);
      else this.dead.delete(session);
    }
    if (record.type === 'boot' && this.hasBegun) await this.restart();
  }

  async after(record: TelemetryRecord): Promise<void> {
    if (record.type === 'session' && record.event === 'ended') this.dead.add(record.session ?? 'S1');
    for (const event of this.ledger.note(record)) {
      for (const conn of this.conns.values()) if (isOf(conn, event) && !conn.isRecordedOpen) write(conn, event);
    }
    const conn = 'conn' in record ? this.conns.get(record.conn ?? '') : undefined;
    if (record.type === 'deliver' && conn !== undefined) this.deliver(conn, record);
    else if (record.type === 'close') this.close(conn, record);
  }

  /** What the recorded server ended it ends here too, on whatever connection the proxy reads that stream from. */
  private close(conn: ServerConn | undefined, record: Extract<TelemetryRecord, { type: 'close' }>): void {
    if (conn !== undefined) conn.isRecordedOpen = false;
    if (record.by === 'superseded') conn?.res.end();
    if (record.by !== 'server') return;
    const { session, stream } = { session: record.session ?? 'S1', stream: record.stream ?? 'get' };
    const feeding =
      conn === undefined ? [...this.conns.values()].filter((one) => one.session === session && one.stream === stream) : [conn];
    for (const { res } of feeding) res.end();
  }

  private deliver(conn: ServerConn, record: Extract<TelemetryRecord, { type: 'deliver' }>): void {
    for (const id of eventIds(record)) {
      const event = this.ledger.find(conn.session, conn.stream, id);
      if (event !== null) write(conn, event, record.without_id !== true);
    }
  }

  private async restart(): Promise<void> {
    this.instance++;
    await this.upstream.kill();
    this.conns.clear();
    await this.upstream.restart();
  }

  private answer(request: SeenRequest): void {
    const { res, body, headers } = request;
    const message = body.length === 0 ? null : JSON.parse(body.toString());
    res.setHeader('recorded-instance', String(this.instance));
    if (message?.method === 'initialize') {
      const session = this.minting ?? 'S1';
      this.tokens.set(`token of ${session}`, session);
      res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `token of ${session}` });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
      return;
    }
    const session = this.tokens.get(String(headers['mcp-session-id'])) ?? null;
    const isProbe = message?.method === 'ping' && message.id === 'tidemark-probe';
    if (request.method === 'DELETE') res.writeHead(200).end();
    else if (message?.method === 'ping' && !isProbe) sendJson(res, 200, message.id, null);
    else if (isProbe) this.answerProbe(res, session);
    else this.answerExpected(res, session, message);
  }

  private answerProbe(res: ServerResponse, session: string | null): void {
    if (session === null || this.dead.has(session)) sendJson(res, this.expected?.status ?? 404, 'tidemark-probe', -32000);
    else sendJson(res, 200, 'tidemark-probe', null);
  }

  private answerExpected(res: ServerResponse, session: string | null, message: { id?: unknown } | null): void {
    const record = this.expected;
    const status = record?.status;
    if (record === null || status === undefined) sendJson(res, 200, message?.id, null);
    else if (status === null) res.destroy();
    else if (status !== 200 || (record.type === 'request' && record.conn === undefined))
      sendJson(res, status, message?.id, record.code ?? (status === 200 ? null : -32000));
    else {
      openSse(res);
      const conn: ServerConn = {
        res,
        session: session ?? 'S1',
        stream: record.stream ?? 'get',
        written: new Set(),
        isRecordedOpen: true,
      };
      this.conns.set(record.conn ?? '', conn);
    }
  }
}

const isOf = (conn: ServerConn, event: LedgerEvent): boolean => conn.session === event.session && conn.stream === event.stream;

function write({ res }: ServerConn, event: LedgerEvent, withId = true): void {
  if (res.destroyed || res.writableEnded) return;
  event.isShown = true;
  res.write(`${withId ? `id: ${event.id}\n` : ''}data: ${dataOf(event)}\n\n`);
}

function dataOf({ isPriming, answers, text }: LedgerEvent): string {
  if (isPriming) return '';
  if (answers !== null) return JSON.stringify({ jsonrpc: '2.0', id: answers, result: {}, params: { data: text } });
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text } });
}

function sendJson(res: ServerResponse, status: number, id: unknown, code: number | null): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  const outcome = code === null ? { result: {} } : { error: { code, message: 'as recorded' } };
  res.end(JSON.stringify({ jsonrpc: '2.0', id: id ?? null, ...outcome }));
}
