import { countOf, formatCount, rangeOf } from '@/components/format/count';
import type { RecordOf, TelemetryRecord } from '@/lib/wire/schema';

export interface RecordWords {
  readonly type: string;
  /** What the record is about: a connection, a count of events. */
  readonly subject: string;
  readonly detail: string;
}

type Ids = readonly (string | number)[];

/** A record in two short lines, in the words of the contract. */
export function recordWords(record: TelemetryRecord): RecordWords {
  const words = ownWords(record);
  return { ...words, detail: joined([keptBackWords(record), words.detail]) };
}

function ownWords(record: TelemetryRecord): RecordWords {
  switch (record.type) {
    case 'boot':
      return { type: 'boot', subject: record.node ?? '', detail: generationWords(record) };
    case 'session':
      return {
        type: 'session',
        subject: record.event,
        detail: joined([generationWords(record), record.head == null ? '' : `head ${record.head}`]),
      };
    case 'emit':
      return runWords([record]);
    case 'evict':
      return evictWords(record);
    case 'open':
      return { type: 'open', subject: record.conn ?? '', detail: joined([record.method ?? '', told(record.status), 'no cursor']) };
    case 'deliver':
      return { type: 'deliver', subject: record.conn ?? '', detail: runOf(record) };
    case 'close':
      return { type: 'close', subject: record.conn ?? '', detail: record.by === undefined ? '' : `by ${record.by}` };
    case 'request':
      return requestWords(record);
    case 'client':
      return { type: 'client', subject: record.event, detail: idsWords(record.event_ids ?? []) };
    case 'resume_attempt':
      return { type: 'resume', subject: record.conn ?? '', detail: joined([attemptCursor(record), record.verdict, told(record.status)]) };
  }
}

/** A run of emissions as one: how many events, from which to which. Nothing was kept back within it. */
export function emitWords(run: readonly RecordOf<'emit'>[]): RecordWords {
  const [first] = run;
  const words = runWords(run);
  return { ...words, detail: joined([first === undefined ? '' : keptBackWords(first), words.detail]) };
}

/** Of the session's records, what its sender kept back right before this one. */
const keptBackWords = ({ withheld_before: count = 0 }: TelemetryRecord) => (count === 0 ? '' : `after ${formatCount(count)} kept back`);

function runWords(run: readonly RecordOf<'emit'>[]): RecordWords {
  const counts = run.reduce((sum, record) => sum + countIn(record), 0n);
  const [first, last] = [run[0], run.at(-1)];
  const from = first === undefined ? '' : firstId(first);
  const to = last === undefined ? '' : lastId(last);
  return { type: 'emit', subject: countOf(counts, 'event'), detail: rangeOf(from, to) };
}

function countIn(record: RecordOf<'emit'>): bigint {
  if (record.range !== undefined) return BigInt(record.range[1]) - BigInt(record.range[0]) + 1n;
  return BigInt(record.event_ids?.length ?? 1);
}

const firstId = (record: RecordOf<'emit'>) => String(record.range?.[0] ?? record.event_ids?.[0] ?? record.event_id ?? '');
const lastId = (record: RecordOf<'emit'>) => String(record.range?.[1] ?? record.event_ids?.at(-1) ?? record.event_id ?? '');

function evictWords(record: RecordOf<'evict'>): RecordWords {
  const ids = record.event_ids ?? [];
  const subject =
    ids.length > 0 ? countOf(ids.length, 'event') : record.floor === null ? 'everything' : `floor ${record.floor ?? 'unknown'}`;
  return { type: 'evict', subject, detail: joined([idsWords(ids), record.cause ?? '']) };
}

function requestWords(record: RecordOf<'request'>): RecordWords {
  const id = record.rpc?.id;
  const subject = id === undefined || id === null ? (record.rpc?.method ?? '') : `call ${id}`;
  return { type: 'request', subject, detail: joined([record.tool ?? record.rpc?.method ?? '', told(record.status)]) };
}

function attemptCursor(record: RecordOf<'resume_attempt'>): string {
  if (typeof record.last_event_id === 'string' && record.last_event_id !== '') return record.last_event_id;
  return record.cursor == null ? 'no cursor' : String(record.cursor);
}

function runOf(record: RecordOf<'deliver'>): string {
  const { range, event_ids: ids } = record;
  if (range !== undefined) return `${rangeOf(range[0], range[1])} (${BigInt(range[1]) - BigInt(range[0]) + 1n})`;
  if (ids === undefined) return record.without_id === true ? 'frames without an id' : '';
  return ids.length > 1 ? `${idsWords(ids)} (${ids.length})` : idsWords(ids);
}

function idsWords(ids: Ids): string {
  const [first, last] = [ids[0], ids.at(-1)];
  return first === undefined || last === undefined ? '' : rangeOf(String(first), String(last));
}

const generationWords = ({ generation }: TelemetryRecord) => (generation == null ? '' : `generation ${generation}`);
const told = (value: number | null | undefined) => (value === undefined ? '' : value === null ? 'no status' : String(value));
const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');
