import { applyChange, reopen } from '@/lib/proxy/apply-change';
import type { LogChange } from '@/lib/proxy/log-store';
import { changesMax, type LogBase } from '@/lib/proxy/redis/keys';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { type AppendResult, SessionLog } from '@/lib/session-log/session-log';
import { fallsBack, type Retention } from '@/lib/session-log/stream-log';

/** One change as it stands in Redis: field names and values, binary. */
export type OpFields = readonly (readonly [string, Buffer])[];

/** Events of one stream, in order. */
export interface AppendOp {
  readonly stream: string;
  readonly requestId: string | null;
  readonly events: readonly NewEvent[];
}

/** Fields of an append; frames travel beside the rest as they are. */
export function encodeAppend({ stream, requestId, events }: AppendOp): (string | Buffer)[] {
  const fields: (string | Buffer)[] = [
    's',
    stream,
    'q',
    requestId ?? '',
    'e',
    JSON.stringify(events.map(({ frame: _frame, ...rest }) => rest)),
  ];
  for (const [i, { frame }] of events.entries()) if (frame !== null) fields.push(`f${i}`, Buffer.from(frame));
  return fields;
}

function decodeAppend(fields: ReadonlyMap<string, Buffer>): AppendOp {
  const bare = JSON.parse(fields.get('e')?.toString('utf8') ?? '[]') as Omit<NewEvent, 'frame'>[];
  const requestId = fields.get('q')?.toString('utf8') ?? '';
  return {
    stream: fields.get('s')?.toString('utf8') ?? '',
    requestId: requestId === '' ? null : requestId,
    events: bare.map((event, i) => ({ ...event, frame: fields.get(`f${i}`) ?? null })),
  };
}

/** Changes after which Redis is told again where the numbering stands; more where there are many streams to tell of. */
const TOLD_EVERY = 64;
const CHANGES_PER_STREAM = 4;

export interface SessionMeta {
  /** Run of Redis that this was read from. Another one may have lost what this one had, and have numbered other changes alike. */
  readonly run: string;
  readonly prefix: string;
  readonly principal: string;
  readonly isHeardFromStart: boolean;
  readonly createdAt: number;
  readonly retention: Retention;
}

/** This replica's copy of a session's log, brought up to date change by change. */
export class RedisView {
  /** Number of the last change applied. */
  last: number;
  /** Whether it stands in Redis, beside the changes, that ids came again or a generation began. */
  isNotedAgain = false;
  /** Whether some came that another replica wrote, which may not know it. */
  hasUnnotedAgain = false;
  /** Whether it was built from all changes of the session. */
  isWhole = true;
  readonly log: SessionLog;
  /** The change after which Redis was last told where the numbering stands, and the bytes of events since. */
  private toldAt: number;
  private bytesSince = 0;

  constructor(
    readonly meta: SessionMeta,
    base: LogBase | null = null,
  ) {
    this.last = base?.seq ?? 0;
    this.toldAt = this.last;
    this.log = new SessionLog(meta.prefix, meta.principal, meta.isHeardFromStart, meta.createdAt, meta.retention);
    if (base === null) return;
    this.isWhole = false;
    this.log.countFrom(base.numbering);
  }

  /** What Redis is to be told of where the numbering stands; null where it knows well enough, or this copy does not. */
  tellsBase(): LogBase | null {
    const { log, last, meta } = this;
    const changes = last - this.toldAt;
    const most = changesMax(meta.retention) / 4;
    const isDue = changes >= Math.min(TOLD_EVERY, most) && changes >= Math.min(most, CHANGES_PER_STREAM * log.listStreams().length);
    if (log.numberedFrom > 1 || changes === 0 || !(isDue || this.bytesSince >= meta.retention.bytes)) return null;
    this.toldAt = last;
    this.bytesSince = 0;
    return { seq: last, numbering: log.numbering() };
  }

  /** Applies the change with the given number; answers what an append did. */
  apply(seq: number, op: OpFields, now: number): readonly AppendResult[] {
    if (this.last === 0 && seq > 1) {
      this.log.numberedFrom = seq;
      this.isWhole = false;
    }
    this.last = seq;
    const fields = new Map(op);
    const change = fields.get('c');
    const reopened = fields.get('r');
    if (change !== undefined) applyChange(this.log, JSON.parse(change.toString('utf8')) as LogChange, now);
    else if (reopened !== undefined) reopen(this.log, reopened.toString('utf8') === '1');
    else return this.appendOfOther(decodeAppend(fields));
    return [];
  }

  append({ stream, requestId, events }: AppendOp): readonly AppendResult[] {
    return events.map((event) => {
      this.bytesSince += event.bytes;
      return this.log.append(stream, requestId, event);
    });
  }

  /** Only who has all changes can tell of all ids that they came again. */
  private appendOfOther(op: AppendOp): readonly AppendResult[] {
    if (this.isWhole && !this.isNotedAgain && !this.hasUnnotedAgain) this.hasUnnotedAgain = this.comesAgain(op);
    return this.append(op);
  }

  /** Whether events that are to be appended have an id that was issued before, on whichever stream, or begin a generation. */
  comesAgain({ stream, events }: AppendOp): boolean {
    const ids = new Set<string>();
    let newest = this.log.stream(stream)?.newestIds() ?? [];
    for (const { id } of events) {
      if (id === null) continue;
      if (ids.has(id) || this.wasIssued(id) || fallsBack(newest, id)) return true;
      ids.add(id);
      newest = [id, ...newest.slice(0, 1)];
    }
    return false;
  }

  private wasIssued(id: string): boolean {
    return this.log.owner(id) !== undefined || this.log.isForgotten(id) || this.log.pastCursor(id) !== null;
  }
}

/** Fields and values side by side, as Redis answers them. */
export function pairs(fields: readonly Buffer[]): OpFields {
  const result: [string, Buffer][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const value = fields[i + 1];
    if (value !== undefined) result.push([fields[i]?.toString('latin1') ?? '', value]);
  }
  return result;
}
