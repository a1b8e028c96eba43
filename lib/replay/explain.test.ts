import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { parseJsonExactly } from '@/lib/base/json';
import { compareHistories } from '@/lib/replay/compare';
import { explainHistory } from '@/lib/replay/explain';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface RecordedCase {
  case: string;
  records: TelemetryRecord[];
}
const all = readdirSync('tests/histories').flatMap(
  (file) => parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[],
);
const recorded = (name: string): TelemetryRecord[] => all.find((one) => one.case === name)?.records ?? [];
const explained = (name: string) => {
  const audited = auditRecords(recorded(name));
  return explainHistory(recorded(name), audited.ok ? audited.value.findings : []);
};

describe('explanations', () => {
  test.each([
    ['S02a', 'The server resumed with 200 and should have refused with 409: 1042 is below floor 1052 − 1 (below_floor).'],
    ['S02b', 'The server refused with 409, rightly: 1042 is below floor 1052 − 1 (below_floor).'],
    ['S02c', 'The server resumed with 200 and should have refused with 409: 1043 to 1051 are missing after 1042 (hole).'],
    [
      'S01a',
      'The server resumed with 200 and should have refused with 409: The cursor is of generation 1, the live one is 2 (generation_mismatch).',
    ],
    ['F09b', 'The server refused with 409 and could have resumed: Everything after 1 is retained, up to 3 (ok).'],
  ])('%s', (name, sentence) =>
    expect(
      explained(name)[0]
        ?.sentence.replace(/E_(\d)/g, '$1')
        .replace(/\be(\d)/g, '$1'),
    ).toBe(sentence),
  );

  test('the hole of nine events: proof row 12, its gap, the first frame that was not due, and what it did', () => {
    const [one] = explained('S02c');
    expect(one?.decision).toMatchObject({ reason: 'hole', gap: { ranges: [[1043, 1051]], count: 9 } });
    expect(one?.proof[12]).toMatchObject({ outcome: 'applies' });
    expect(one?.firstIllegal).toEqual({
      index: 8,
      sentence: 'Record 8 writes E_1052 first; after 1042 the next event of its log was due.',
    });
    expect(one?.consequences.length).toBeGreaterThan(0);
  });
  test('a rightful refusal breaks nothing', () =>
    expect(explained('S02b')[0]).toMatchObject({ assessment: 'correct', firstIllegal: null }));
  test.each(all.map((one) => one.case))('%s: every attempt is explained in sentences', (name) => {
    for (const { sentence, proof } of explained(name)) {
      expect(sentence).toMatch(/^The server .*\.$/);
      expect(proof).toHaveLength(15);
    }
  });
});

describe('comparison', () => {
  test('a history does not depart from itself, under other names and times', () => {
    const records = recorded('S02c');
    const other = records.map((record, n) => ({
      ...record,
      at: n * 1000,
      session: 'other',
      ...('conn' in record && { conn: `x-${record.conn}` }),
    })) as TelemetryRecord[];
    expect(compareHistories(records, other)).toEqual({ alike: records.length, divergence: null });
  });
  test('the same log refused at the floor and served across it parts at the answer', () => {
    const { alike, divergence } = compareHistories(recorded('S02a'), recorded('S02b'));
    expect(alike).toBe(7);
    expect(divergence).toMatchObject({ indexA: 7, indexB: 7, path: 'verdict', a: 'resumed', b: 'refused' });
  });
  test('a state that differs is named by its member', () => {
    const { divergence } = compareHistories(recorded('S02a'), recorded('S02c'));
    expect(divergence).toMatchObject({ indexA: 6 });
  });
  test('one that ends first', () => {
    const records = recorded('S02a');
    expect(compareHistories(records, records.slice(0, 4)).divergence).toMatchObject({ path: 'length', indexA: 4 });
  });
  test('aligned at an event', () => {
    const records = recorded('S02a');
    const later: TelemetryRecord[] = [{ type: 'boot' }, ...records];
    expect(compareHistories(records, later, { a: 0, b: 1 }).divergence).toBeNull();
  });
});
