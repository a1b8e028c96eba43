import type { Step } from '@/components/api/timeline';
import type { Lane, LaneParts, LaneSpan, LaneTick, Tone } from '@/components/debugger/model/lane';
import type { RecordOf } from '@/lib/wire/schema';

interface OpenConn {
  readonly fromX: number;
  readonly index: number;
  readonly words: string;
  readonly tone: Tone;
}

/** Connections from their opening to their close; an attempt that was refused opens none and is a mark alone. */
export function connectionLane({ steps, history, marks, data }: LaneParts): Lane {
  const lane = new ConnectionLane((index) => marks.get(index)?.mark ?? 'plain');
  for (const step of steps) lane.follow(step, history.xs[step.index] ?? 0);
  lane.endAll(data.toX);
  return { name: 'connection', spans: lane.spans, ticks: lane.ticks };
}

class ConnectionLane {
  readonly spans: LaneSpan[] = [];
  readonly ticks: LaneTick[] = [];
  readonly #open = new Map<string, OpenConn>();

  constructor(private readonly markAt: (index: number) => Tone) {}

  follow({ index, record }: Step, x: number): void {
    if ((record.withheld_before ?? 0) > 0) this.endAll(x, true);
    if (record.type === 'boot') this.endAll(x);
    else if (record.type === 'close') this.#close(record, index, x);
    else if (record.type === 'open') this.#begin(record.conn, index, x, [record.method, record.status]);
    else if (record.type === 'resume_attempt') this.#resume(record, index, x);
  }

  /** `isUntold`: their ends may have been kept back. */
  endAll(x: number, isUntold = false): void {
    for (const conn of [...this.#open.keys()]) this.#end(conn, x, isUntold);
  }

  #resume(record: RecordOf<'resume_attempt'>, index: number, x: number): void {
    const { conn, status, verdict } = record;
    if (verdict === 'refused' || verdict === 'failed') {
      this.ticks.push({ x, index, shape: 'mark', tone: this.markAt(index), words: joined([conn, status]) });
    } else this.#begin(conn, index, x, [status]);
  }

  #begin(conn: string | undefined, index: number, x: number, how: readonly unknown[]): void {
    if (conn === undefined) return;
    this.#end(conn, x);
    const mark = this.markAt(index);
    const tone = mark === 'resumed' || mark === 'fresh' ? 'plain' : mark;
    this.#open.set(conn, { fromX: x, index, words: joined([conn, ...how]), tone });
  }

  #close({ conn, by }: RecordOf<'close'>, index: number, x: number): void {
    if (conn === undefined) return;
    this.#end(conn, x);
    const words = by === undefined ? 'closed' : by === 'network' ? 'cut by network' : `by ${by}`;
    this.ticks.push({ x, index, shape: 'cut', tone: 'plain', words });
  }

  #end(conn: string, x: number, isUntold = false): void {
    const one = this.#open.get(conn);
    if (one === undefined) return;
    const words = isUntold ? `${one.words}, until when is not told` : one.words;
    this.spans.push({ ...one, words, toX: x, isDashed: isUntold });
    this.#open.delete(conn);
  }
}

const joined = (parts: readonly unknown[]): string => parts.filter((part) => part !== undefined && part !== null).join(' ');
