import { afterEach, expect, test } from 'vitest';
import { LegJournal } from '@/lib/proxy/leg-journal';
import { Telemetry } from '@/lib/proxy/telemetry';
import type { TelemetryRecord } from '@/lib/wire/schema';

const opened: Telemetry[] = [];
afterEach(() => {
  for (const telemetry of opened.splice(0)) telemetry.close();
});

function reporting() {
  const told: TelemetryRecord[] = [];
  const errors: unknown[] = [];
  const telemetry = new Telemetry(
    (records) => told.push(...records),
    () => 1,
    'node',
    (error) => errors.push(error),
  );
  opened.push(telemetry);
  const journal = (stream: string) => new LegJournal(telemetry, { server: 'r', session: 's', stream, protocolVersion: null });
  return { telemetry, told, errors, journal };
}

const event = (id: string) => ({ id, fingerprint: 1, bytes: 3, frame: null, isAnswer: false, isOwnId: false, at: 1 });
const idsOf = (records: readonly TelemetryRecord[], type: 'emit' | 'deliver') =>
  records.flatMap((record) => (record.type === type && 'event_ids' in record ? (record.event_ids ?? []) : []));

test('tens of thousands of streams that spoke between two flushes are told of by one', () => {
  const { telemetry, told, errors, journal } = reporting();
  const ids = Array.from({ length: 30_000 }, (_, i) => String(i));
  for (const id of ids) journal(id).noteLive(event(id), 1, 'g', 'c');
  telemetry.flush();
  expect([idsOf(told, 'emit'), idsOf(told, 'deliver'), errors]).toEqual([ids, ids, []]);
});

test('a fast stream is told in order, whenever its records go on', () => {
  const { telemetry, told, journal } = reporting();
  const ids = Array.from({ length: 20_000 }, (_, i) => String(i));
  const stream = journal('get');
  for (const [i, id] of ids.entries()) stream.noteLive(event(id), i + 1, 'g', 'c');
  expect(told.length).toBeGreaterThan(0);
  telemetry.flush();
  expect([idsOf(told, 'emit'), idsOf(told, 'deliver')]).toEqual([ids, ids]);
});
