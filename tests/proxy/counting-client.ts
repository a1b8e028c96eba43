import { initialize, openStream, type RawStream, resume } from '@/tests/proxy/raw-client';
import { until } from '@/tests/proxy/start-proxy';

/** A client that comes back with its cursor until it is told that it cannot, and keeps count of what it was sent. */
export class CountingClient {
  readonly received: string[] = [];
  /** What it was told: the reason of a refusal, in a status or in an event. */
  told: string | null = null;
  readonly statuses: number[] = [];
  private stream: RawStream | null = null;
  private taken = 0;
  private cursor: string | null = null;

  private constructor(
    private readonly urls: readonly string[],
    readonly session: Record<string, string>,
  ) {}

  static async connect(urls: string | readonly string[], headers: Record<string, string> = {}): Promise<CountingClient> {
    const all = typeof urls === 'string' ? [urls] : urls;
    const client = new CountingClient(all, await initialize(all[0] ?? ''));
    client.stream = await openStream(client.urlOf(0), { headers: { ...client.session, ...headers } });
    return client;
  }

  get token(): string {
    return this.session['mcp-session-id'] ?? '';
  }

  /** Another client with the same session, and everything that this one has. */
  twin(): CountingClient {
    const twin = new CountingClient(this.urls, this.session);
    twin.received.push(...this.received);
    twin.cursor = this.cursor;
    return twin;
  }

  get isCut(): boolean {
    return this.stream === null || this.stream.isEnded() || this.stream.isCut();
  }

  get current(): RawStream | null {
    return this.stream;
  }

  /** Takes in what came so far. */
  read(): this {
    for (const { id, data } of this.stream?.events.slice(this.taken) ?? []) this.take(id, data);
    this.taken = this.stream?.events.length ?? 0;
    return this;
  }

  drop(): void {
    this.read();
    this.stream?.close();
    this.stream = null;
  }

  /** Presents the cursor once, at the replica of that number. A 502, 503 or a busy stream is no answer: it says to come again. */
  async comeBack(replica = 0): Promise<void> {
    this.drop();
    this.taken = 0;
    const stream = await resume(this.urlOf(replica), this.session, this.cursor ?? '').catch(() => null);
    if (stream === null) return;
    this.statuses.push(stream.status);
    if (stream.status === 200) this.stream = stream;
    else if (stream.status < 500) {
      await until(stream.isEnded);
      const { type, reason } = JSON.parse(stream.bytes().toString()).error.data;
      if (type !== 'stream_busy') this.told = `${stream.status} ${reason}`;
    } else stream.close();
  }

  private urlOf(replica: number): string {
    return this.urls[replica % this.urls.length] ?? '';
  }

  private take(id: string | undefined, data: string): void {
    const message = JSON.parse(data === '' ? '{}' : data);
    if (message.error?.data?.type === 'resume_unavailable') this.told = `event ${message.error.data.reason}`;
    else if (message.params?.data !== undefined) this.received.push(message.params.data);
    if (id !== undefined) this.cursor = id;
  }
}

/**
 * Events of `emitted` that this client missed and was not told of: each one that it was sent past, and, unless it was
 * told, each one after the last that it has. What it has twice, or that was never emitted for it, counts too.
 */
export function lostUnannounced({ received, told }: Pick<CountingClient, 'received' | 'told'>, emitted: readonly string[]): number {
  let lost = 0;
  let due = 0;
  for (const text of received) {
    const place = emitted.indexOf(text);
    lost += place < due ? 1 : place - due;
    due = Math.max(due, place + 1);
  }
  return told === null ? lost + emitted.length - due : lost;
}

/** Comes back, now here and now there, until it has everything or was told that it cannot. */
export async function catchUp(client: CountingClient, emitted: readonly string[]): Promise<void> {
  let replica = 0;
  await until(async () => {
    client.read();
    if (client.told !== null || client.received.at(-1) === emitted.at(-1)) return true;
    if (client.isCut) await client.comeBack(replica++);
    return false;
  });
}
