import { readFileSync } from 'node:fs';
import { parseJsonExactly } from '@/lib/base/json';
import type { ProxyRoute } from '@/lib/proxy/route';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { EventLedger, eventIds } from '@/tests/proxy/event-ledger';
import { fetchRaw, initialize, openStream, post, postStream, type RawStream, rpc } from '@/tests/proxy/raw-client';
import { RecordedServer } from '@/tests/proxy/recorded-server';
import { startProxy, until } from '@/tests/proxy/start-proxy';

interface Expected {
  readonly resumes?: readonly { readonly index: number; readonly assessment?: string; readonly reason?: string }[];
  readonly findings?: readonly { readonly code: string }[];
  readonly absent?: readonly string[];
}

export interface RecordedCase {
  readonly case: string;
  readonly title: string;
  readonly records: TelemetryRecord[];
  readonly expect: Expected;
}

export const recordedCase = (name: string): RecordedCase => {
  const cases = parseJsonExactly(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as RecordedCase[];
  const found = cases.find((one) => one.case === name);
  if (found === undefined) throw new Error(`no recorded case ${name}`);
  return found;
};

/** What a resume of the history came to behind the proxy. */
export interface PlayedResume {
  readonly index: number;
  readonly status: number;
  /** Reason of the refusal, in the status or in an event; null when the client was not told. */
  readonly told: string | null;
  /** Events that the client missed without being told, or was sent although they are not of its stream and generation. */
  readonly wrong: readonly string[];
}

export interface Played {
  readonly resumes: readonly PlayedResume[];
  /** What the proxy reported of all this. */
  readonly records: TelemetryRecord[];
}

/** The proxy ends a replay in which nothing came for so long. */
const SILENCE_MS = 1_000;

/** Session of the requests that only show that everything before them had its turn. */
const STRANGER = 'round trip';

type ResumeRecord = Extract<TelemetryRecord, { type: 'resume_attempt' }>;

/** Plays both sides of a recorded history with a proxy between them: its clients, and a server that behaves as the recorded one did. */
export async function play(records: readonly TelemetryRecord[], spec: Partial<ProxyRoute>): Promise<Played> {
  let now = 1_764_500_000_000;
  const ledger = new EventLedger();
  const server = await RecordedServer.start(ledger);
  const proxy = await startProxy(
    { upstream: server.url, instanceHeader: 'recorded-instance', ...spec },
    { clock: () => now, timeouts: { replaySilenceMs: SILENCE_MS, resumeAgainMs: 60_000 } },
  );
  const clients = new Clients(proxy.url(), server, ledger);
  try {
    for (const [index, record] of records.entries()) {
      now = typeof record.at === 'number' ? record.at : now + 1;
      await server.before(record);
      await clients.take(record, index);
      await server.after(record);
      if (record.type === 'emit' || record.type === 'deliver' || record.type === 'close') await clients.settle(record);
    }
    const resumes = await clients.outcomes();
    await clients.end();
    await proxy.stop();
    return { resumes, records: proxy.records.filter(({ session }) => session !== STRANGER) };
  } finally {
    await server.stop();
  }
}

interface Held {
  readonly stream: RawStream;
  readonly session: string;
  readonly streamName: string;
}

class Clients {
  private readonly sessions = new Map<string, Record<string, string>>();
  private readonly conns = new Map<string, Held>();
  private readonly resumes: {
    index: number;
    record: ResumeRecord;
    held: Held;
    owed: readonly string[] | null;
    later: () => readonly string[];
  }[] = [];

  constructor(
    private readonly url: string,
    private readonly server: RecordedServer,
    private readonly ledger: EventLedger,
  ) {}

  async take(record: TelemetryRecord, index: number): Promise<void> {
    switch (record.type) {
      case 'session':
        if (record.event === 'created' && !this.sessions.has(nameOf(record))) await this.headersOf(nameOf(record));
        if (record.event === 'ended') await this.delete(nameOf(record));
        return;
      case 'open':
        if (record.session !== null) await this.open(record, record.method === 'POST', record.rpc_id ?? 1);
        return;
      case 'request':
        await this.request(record);
        return;
      case 'resume_attempt':
        if (record.last_event_id) await this.resume(record, index);
        return;
      case 'close':
        if (record.by === 'client' || record.by === 'network') this.conns.get(record.conn ?? '')?.stream.close();
        return;
      default:
    }
  }

  /** Waits until what was sent has come as far as it will: to the client that reads it, or to the proxy alone. */
  async settle(record: Extract<TelemetryRecord, { type: 'emit' | 'deliver' | 'close' }>): Promise<void> {
    const conn = record.type === 'deliver' ? this.conns.get(record.conn ?? '') : undefined;
    const last = record.type === 'close' ? undefined : eventIds(record).at(-1);
    for (let i = 0; i < 5; i++) {
      if (conn !== undefined && (conn.stream.isEnded() || conn.stream.events.some(({ id }) => id === last))) return;
      await this.roundTrip();
    }
  }

  /** What came of each resume, once everything was played. One that was cut short comes back, as a client does. */
  async outcomes(): Promise<PlayedResume[]> {
    const outcomes: PlayedResume[] = [];
    for (const { index, record, held, owed, later } of this.resumes) {
      if (held.stream.status !== 200) {
        outcomes.push({ index, status: held.stream.status, told: reasonIn(held.stream.bytes().toString()), wrong: [] });
        continue;
      }
      if (!held.stream.isEnded() && owed !== null) await this.untilQuiet(held.stream, owed.length);
      const texts = held.stream.events.flatMap(({ data }) => textOf(data) ?? []);
      let told = held.stream.events.map(({ data }) => reasonIn(data)).find((reason) => reason !== null) ?? null;
      if (told === null && held.stream.isEnded() && texts.length < (owed?.length ?? 1)) told = await this.comeBack(record, held);
      outcomes.push({ index, status: 200, told, wrong: this.wrongIn(texts, owed, later(), told !== null) });
    }
    return outcomes;
  }

  /** Every client goes away, and the proxy notices. */
  async end(): Promise<void> {
    for (const { stream } of this.conns.values()) stream.close();
    await this.roundTrip();
  }

  private async initialize(session: string): Promise<Record<string, string>> {
    this.server.mintNext(session);
    return initialize(this.url);
  }

  private async delete(session: string): Promise<void> {
    const headers = this.sessions.get(session);
    if (headers !== undefined) await fetchRaw(this.url, { method: 'DELETE', headers });
  }

  private async headersOf(session: string): Promise<Record<string, string>> {
    const known = this.sessions.get(session) ?? (await this.initialize(session));
    this.sessions.set(session, known);
    return known;
  }

  private async open(record: Extract<TelemetryRecord, { type: 'open' | 'request' }>, isPost: boolean, id: string | number): Promise<void> {
    const session = nameOf(record);
    const headers = await this.headersOf(session);
    this.server.expect(record);
    const stream = isPost
      ? await postStream(this.url, headers, rpc(id, 'tools/call', paramsOf(record)))
      : await openStream(this.url, { headers });
    this.conns.set(record.conn ?? '', { stream, session, streamName: record.stream ?? 'get' });
  }

  private async request(record: Extract<TelemetryRecord, { type: 'request' }>): Promise<void> {
    const { method, id } = record.rpc ?? {};
    if (method === 'initialize') return;
    if (record.conn !== undefined && record.session !== null) {
      await this.open(record, true, id ?? 1);
      return;
    }
    const headers = record.session === null ? {} : await this.headersOf(nameOf(record));
    this.server.expect(record);
    await post(this.url, headers, rpc(id ?? 1, method ?? 'tools/call', paramsOf(record)));
  }

  private async resume(record: ResumeRecord, index: number): Promise<void> {
    const session = nameOf(record);
    const streamName = record.stream ?? 'get';
    const headers = { ...(await this.headersOf(session)), 'last-event-id': record.last_event_id ?? '' };
    this.server.expect(record);
    const owed = this.ledger.after(session, streamName, record.last_event_id ?? '');
    const from = this.ledger.count;
    const stream = await openStream(this.url, { headers });
    const held = { stream, session, streamName };
    this.conns.set(record.conn ?? `record ${index}`, held);
    this.resumes.push({ index, record, held, owed, later: () => this.ledger.since(session, streamName, from) });
    await this.roundTrip();
  }

  private async comeBack(record: ResumeRecord, held: Held): Promise<string | null> {
    const cursor = held.stream.events.findLast(({ id }) => id !== undefined)?.id ?? record.last_event_id ?? '';
    this.server.expect(record);
    const again = await openStream(this.url, { headers: { ...(await this.headersOf(held.session)), 'last-event-id': cursor } });
    if (again.status !== 200) await until(again.isEnded);
    const told = reasonIn(again.bytes().toString());
    again.close();
    return told;
  }

  /** `owed` null: the cursor was never issued on that stream, so that nothing may be served for it at all. */
  private wrongIn(texts: readonly string[], owed: readonly string[] | null, later: readonly string[], isTold: boolean): string[] {
    const due = [...(owed ?? []), ...later];
    const wrong: string[] = [];
    let at = 0;
    const miss = (missed: readonly string[]) => {
      for (const text of missed) wrong.push(`${this.ledger.isShown(text) ? 'missed' : 'missed, shown to nobody,'} ${text}`);
    };
    for (const text of texts) {
      const place = due.indexOf(text, at);
      if (place < 0) wrong.push(`sent ${text}`);
      else {
        miss(due.slice(at, place));
        at = place + 1;
      }
    }
    if (!isTold) miss((owed ?? []).slice(at));
    if (owed === null && !isTold) wrong.push('served a cursor that was never issued');
    return wrong;
  }

  /** Waits until all that is due has come or the stream has ended; a silence has had its turn where neither happens. */
  private async untilQuiet(stream: RawStream, count: number): Promise<void> {
    const isQuiet = () => stream.isEnded() || stream.events.length >= count;
    for (let silences = 0; silences < 3 && !isQuiet(); silences++) {
      let isOver = false;
      setTimeout(() => {
        isOver = true;
      }, SILENCE_MS);
      await until(() => isOver || isQuiet());
    }
    if (!isQuiet()) await this.roundTrip();
  }

  /** Everything between here and the server had its turn. */
  private async roundTrip(): Promise<void> {
    const stranger = { 'mcp-session-id': STRANGER };
    for (let i = 0; i < 3; i++) await post(this.url, stranger, rpc(i, 'ping'));
  }
}

/** The recorded digest of the arguments stands for them: equal arguments have equal digests. */
const paramsOf = (record: Extract<TelemetryRecord, { type: 'open' | 'request' }>) =>
  record.type === 'request' ? { name: record.tool ?? 'tool', arguments: { of: record.args_digest ?? null } } : {};

const nameOf = (record: TelemetryRecord): string => record.session ?? 'S1';

function textOf(data: string): string | null {
  try {
    return JSON.parse(data).params?.data ?? null;
  } catch {
    return null;
  }
}

const REASON = /"type":"(?:resume_unavailable|session_gone|malformed_cursor|stream_busy)","reason":"(\w+)"/;
const reasonIn = (text: string): string | null => REASON.exec(text)?.[1] ?? null;
