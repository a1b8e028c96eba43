import type { TelemetryRecord } from '@/lib/wire/schema';

type EventsRecord = Extract<TelemetryRecord, { type: 'emit' | 'deliver' | 'evict' }>;

/** Ids of the events of a record, in order. */
export function eventIds(record: EventsRecord): string[] {
  if ('event_id' in record && record.event_id !== undefined) return [String(record.event_id)];
  if (record.event_ids !== undefined) return record.event_ids.map(String);
  if (!('range' in record) || record.range === undefined) return [];
  const [first, last] = [BigInt(record.range[0]), BigInt(record.range[1])];
  return Array.from({ length: Number(last - first) + 1 }, (_, i) => String(first + BigInt(i)));
}

export interface LedgerEvent {
  readonly session: string;
  readonly stream: string;
  readonly generation: string;
  readonly id: string;
  /** Names this one event, however often its id was given. */
  readonly text: string;
  readonly isPriming: boolean;
  /** JSON-RPC id of the request that it answers; null for any other event. */
  readonly answers: string | number | null;
  /** Whether it was ever written to a connection: else nobody but the server knows of it. */
  isShown: boolean;
}

/** Every event that a recorded server emitted, in order: what a client must have or be told that it has not. */
export class EventLedger {
  private readonly events: LedgerEvent[] = [];
  private readonly generations = new Map<string, string>();

  get count(): number {
    return this.events.length;
  }

  note(record: TelemetryRecord): LedgerEvent[] {
    const session = record.session ?? 'S1';
    if (record.type === 'session' && record.generation != null) this.generations.set(session, String(record.generation));
    if (record.type === 'session' && record.event === 'restored' && record.generation == null)
      this.generations.set(session, `${this.generations.get(session) ?? ''}+`);
    if (record.type !== 'emit') return [];
    const generation = record.generation == null ? (this.generations.get(session) ?? '') : String(record.generation);
    const answers = record.rpc?.type === 'response' ? (record.rpc.id ?? null) : null;
    const stream = record.stream ?? 'get';
    const added = eventIds(record).map((id, i) => {
      const text = [session, stream, generation, id, this.events.length + i].join('/');
      return { session, stream, generation, id, text, isPriming: record.kind === 'priming', answers, isShown: false };
    });
    this.events.push(...added);
    return added;
  }

  /** The event that a server means by an id: of that stream rather than of another, of that session rather than of another, the latest. */
  find(session: string, stream: string, id: string): LedgerEvent | null {
    const named = this.events.filter((event) => event.id === id);
    const own = named.filter((event) => event.session === session);
    return own.findLast((event) => event.stream === stream) ?? own.at(-1) ?? named.at(-1) ?? null;
  }

  /** What followed a cursor on its stream, in the generation that issued it first; null when that stream never issued it, or that generation is over. */
  after(session: string, stream: string, cursor: string): string[] | null {
    const own = this.events.filter((event) => event.session === session && event.stream === stream);
    const first = own.findIndex((event) => event.id === cursor);
    if (first < 0 || own[first]?.generation !== own.at(-1)?.generation) return null;
    return own.slice(first + 1).flatMap(({ text, isPriming }) => (isPriming ? [] : [text]));
  }

  isShown(text: string): boolean {
    return this.events.some((event) => event.text === text && event.isShown);
  }

  /** What was emitted on a stream since `count`. */
  since(session: string, stream: string, count: number): string[] {
    return this.events.slice(count).flatMap((event) => (event.session === session && event.stream === stream ? [event.text] : []));
  }
}
