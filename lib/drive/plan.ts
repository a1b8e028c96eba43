import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import type { Outcome } from '@/lib/whatif/decide-case';
import { outcomeOf } from '@/lib/whatif/decide-case';
import { instantOf } from '@/lib/whatif/stream-history';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

interface StepPlace {
  /** Place of the record that it replays. */
  readonly index: number;
  /** Milliseconds after the step before, as recorded; 0 where the records do not tell. */
  readonly waitMs: number;
  readonly session: string;
  readonly conn: string;
}

/** One thing that a recorded client did. */
export type DriveStep =
  | (StepPlace & { readonly kind: 'open' })
  | (StepPlace & { readonly kind: 'close' })
  | (StepPlace & {
      readonly kind: 'resume';
      readonly lastEventId: string;
      /** How many events the client had been sent on this stream up to its cursor; null when its cursor was none of them. */
      readonly received: number | null;
      readonly recorded: { readonly verdict: string; readonly status: number | null };
      /** What the rules say of the recorded facts; null when these leave more than one verdict open. */
      readonly rules: Outcome | null;
    });

export interface DrivePlan {
  readonly steps: readonly DriveStep[];
  /** Connections of calls: their arguments are not in telemetry, and to call a tool again could do harm. */
  readonly callsLeftOut: number;
}

/**
 * What clients of a history did, as far as it can be done again: they open the standalone stream, drop it, and come
 * back with their cursors. Connections count by their names within a session.
 */
export function drivePlan(records: readonly TelemetryRecord[]): DrivePlan {
  const rules = new Map(casesOfHistory(records).map(({ index, facts }) => [index, outcomeOf(facts)]));
  const received = new ReceivedEvents();
  const steps: DriveStep[] = [];
  const isOpen = new Set<string>();
  let callsLeftOut = 0;
  let before: number | null = null;
  for (const [index, record] of records.entries()) {
    received.note(record);
    if (isCall(record)) callsLeftOut += 1;
    const kind = kindOf(record, isOpen);
    if (kind === null || record.session === null) continue;
    const at = instantOf(record);
    const place = placeOf(record, index, at === null || before === null ? 0 : Math.max(0, at - before));
    before = at ?? before;
    if (kind === 'close') isOpen.delete(place.conn);
    else isOpen.add(place.conn);
    steps.push(record.type === 'resume_attempt' ? resumeStep(record, place, received, rules.get(index) ?? null) : { ...place, kind });
  }
  return { steps, callsLeftOut };
}

const isCall = (record: TelemetryRecord): boolean => record.type === 'request' || (record.type === 'open' && record.method === 'POST');

function placeOf(record: TelemetryRecord, index: number, waitMs: number): StepPlace {
  const session = record.session ?? 'S1';
  return { index, session, waitMs, conn: `${session}/${('conn' in record ? record.conn : undefined) ?? `record-${index}`}` };
}

function resumeStep(record: ResumeAttemptRecord, place: StepPlace, received: ReceivedEvents, rules: Outcome | null): DriveStep {
  const lastEventId = record.last_event_id ?? '';
  const recorded = { verdict: record.verdict, status: record.status ?? null };
  return { ...place, kind: 'resume', lastEventId, received: received.countTo(record, lastEventId), recorded, rules };
}

function kindOf(record: TelemetryRecord, isOpen: ReadonlySet<string>): 'open' | 'close' | null {
  switch (record.type) {
    case 'resume_attempt':
      return record.last_event_id ? 'open' : null;
    case 'open':
      return record.method === 'POST' || (record.status ?? 200) !== 200 ? null : 'open';
    case 'close':
      return isOpen.has(`${record.session ?? 'S1'}/${record.conn}`) ? 'close' : null;
    default:
      return null;
  }
}

/** Events that clients were sent, by session and stream, in order. */
class ReceivedEvents {
  readonly #places = new Map<string, Map<string, number>>();

  note(record: TelemetryRecord): void {
    if (record.type !== 'deliver' || record.without_id === true) return;
    const key = keyOf(record);
    const places = this.#places.get(key) ?? new Map<string, number>();
    this.#places.set(key, places);
    for (const id of idsOf(record)) if (!places.has(id)) places.set(id, places.size + 1);
  }

  countTo(record: TelemetryRecord, id: string): number | null {
    return this.#places.get(keyOf(record))?.get(id) ?? null;
  }
}

const keyOf = (record: TelemetryRecord): string => JSON.stringify([record.session ?? 'S1', record.stream ?? 'get']);

/** Ids of a run that are told apart; a longer one is a load and no cursor. */
const RUN_MAX = 100_000n;

function* idsOf(record: Extract<TelemetryRecord, { type: 'deliver' }>): Generator<string> {
  for (const id of record.event_ids ?? []) yield String(id);
  if (record.range === undefined) return;
  const [first, last] = [BigInt(record.range[0]), BigInt(record.range[1])];
  for (let next = first; next <= last && next - first < RUN_MAX; next++) yield String(next);
}
