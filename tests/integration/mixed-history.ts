import { randomUUID } from 'node:crypto';
import { FINDINGS } from '@/lib/audit/catalogue';
import type { FindingCode } from '@/lib/audit/finding';
import { plant } from '@/tests/audit/faults';
import { randomFrom } from '@/tests/audit/random';
import { Schedule } from '@/tests/audit/schedule';
import type { Json } from './stored-findings';

/** The same history an hour ago: old instants would not be believed one day. */
export function lately(records: readonly Json[]): Json[] {
  const times = records.flatMap(({ at }) => (typeof at === 'number' ? [at] : []));
  const shift = Math.round((Date.now() - 3_600_000 - Math.max(...times, 0)) / 1000) * 1000;
  return records.map((record) => (typeof record['at'] === 'number' ? { ...record, at: record['at'] + shift } : record));
}

/**
 * The interleaved records of as many sessions and more: random schedules of correct servers, and one fault of every
 * kind, each in sessions of its own. The same on every run but for their ids.
 */
export function mixedHistory(server: string, sessions: number, steps: number): Json[] {
  const parts = Array.from({ length: sessions }, (_, seed) => renamed(new Schedule(randomFrom(seed), steps).records, `s${seed}`));
  const codes = Object.keys(FINDINGS) as FindingCode[];
  for (const [seed, code] of codes.entries()) parts.push(renamed(plant(code, randomFrom(seed)).records, code));
  const mixed: Json[] = [];
  for (let place = 0; parts.some((part) => place < part.length); place++) {
    for (const part of parts) {
      const record = part[place];
      if (record !== undefined) mixed.push({ ...record, id: randomUUID(), server });
    }
  }
  return lately(mixed);
}

function renamed(records: readonly Json[], prefix: string): Json[] {
  return records.map((record) =>
    typeof record['session'] === 'string' ? { ...record, session: `${prefix}-${record['session']}` } : record,
  );
}

/** Cuts a history into batches, in order. */
export function batchesOf(records: readonly Json[], size: number): Json[][] {
  return Array.from({ length: Math.ceil(records.length / size) }, (_, index) => records.slice(index * size, (index + 1) * size));
}
