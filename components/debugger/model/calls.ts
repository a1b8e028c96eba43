import type { Step } from '@/components/api/timeline';
import type { RecordOf } from '@/lib/wire/schema';

export type CallFate = 'pending' | 'answered' | 'lost' | 'failed' | 'untold';

/** A JSON-RPC request, from when it was sent to when its answer was ready. */
export interface CallSpan {
  /** Id of the request as text. */
  readonly id: string;
  /** The tool, else the method. */
  readonly name: string;
  readonly start: number;
  /** Place of the record that answers it, or before which its answer may have been kept back; null while there is none. */
  answeredAt: number | null;
  fate: CallFate;
  /** Whether the same call, not idempotent, was made before. */
  readonly isAgain: boolean;
}

/** The calls of a session in the order they were made. `lost` holds the places of emissions that never reached their client. */
export function callsOf(steps: readonly Step[], lost: ReadonlySet<number>): CallSpan[] {
  const calls: CallSpan[] = [];
  const open = new Map<string, CallSpan>();
  const made = new Set<string>();
  for (const { index, record } of steps) {
    if ((record.withheld_before ?? 0) > 0) leaveUntold(index);
    if (record.type === 'request') begin(index, record);
    else if (record.type === 'emit' && isAnswer(record)) settle(String(record.rpc?.id), index);
  }
  return calls;

  function begin(index: number, record: RecordOf<'request'>): void {
    const id = record.rpc?.id;
    if (id === undefined || id === null) return;
    const call: CallSpan = {
      id: String(id),
      name: record.tool ?? record.rpc?.method ?? 'request',
      start: index,
      answeredAt: null,
      fate: 'pending',
      isAgain: isRepeated(record),
    };
    calls.push(call);
    if (typeof record.status === 'number' && record.status >= 400) call.fate = 'failed';
    else if (record.content_type?.startsWith('application/json') === true) {
      call.fate = 'answered';
      call.answeredAt = index;
    } else open.set(call.id, call);
  }

  function isRepeated(record: RecordOf<'request'>): boolean {
    if (record.idempotent === true || record.tool === undefined || record.args_digest === undefined) return false;
    const key = `${record.tool}\0${record.args_digest}`;
    const isKnown = made.has(key);
    made.add(key);
    return isKnown;
  }

  function leaveUntold(index: number): void {
    for (const call of open.values()) {
      call.answeredAt = index;
      call.fate = 'untold';
    }
    open.clear();
  }

  function settle(id: string, index: number): void {
    const call = open.get(id);
    if (call === undefined) return;
    call.answeredAt = index;
    call.fate = lost.has(index) ? 'lost' : 'answered';
    open.delete(id);
  }
}

const isAnswer = ({ rpc }: RecordOf<'emit'>): boolean =>
  (rpc?.type === 'response' || rpc?.type === 'error') && rpc.id !== undefined && rpc.id !== null;

/** Calls that wait after record `index`: unanswered by then, or answered by an event that never arrived. At most `most`, newest first. */
export function pendingAt(calls: readonly CallSpan[], index: number, most: number): CallSpan[] {
  const pending: CallSpan[] = [];
  for (let place = calls.length - 1; place >= 0 && pending.length < most; place--) {
    const call = calls[place];
    if (call === undefined || call.start > index || call.fate === 'failed') continue;
    if (call.fate === 'lost' || call.answeredAt === null || call.answeredAt > index) pending.push(call);
  }
  return pending;
}
