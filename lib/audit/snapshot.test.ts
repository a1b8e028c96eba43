import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Audit, createAudit, restoreAudit } from '@/lib/audit/audit';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface History {
  readonly case: string;
  readonly records: readonly TelemetryRecord[];
}

const histories = readdirSync('tests/histories')
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(`tests/histories/${name}`, 'utf8')) as History[])
  .filter(({ records }) => records.every((record) => record.withheld_before === undefined && record.withheld_after === undefined));

function auditOf(records: readonly TelemetryRecord[], from = 0, audit: Audit = createAudit()): Audit {
  for (const [index, record] of records.entries()) audit.push(record, from + index);
  return audit;
}

/** A snapshot as version 2 wrote it, which had no members for what was kept back. */
function asVersion2(snapshot: string): string {
  const stripped = snapshot.replaceAll(/"(?:isKeptBack|hasUnseen|hasUnseenEarlier)":false,|"toldFrom":\["n","0"\],/g, '');
  expect(stripped).not.toMatch(/isKeptBack|hasUnseen|toldFrom/);
  return stripped.replace(/^\{"tidemark_audit":\d+/, '{"tidemark_audit":2');
}

const keptBack: TelemetryRecord = { type: 'emit', event_id: '1', session: 's', withheld_before: 2 };
const versionOf = (snapshot: string): unknown => JSON.parse(snapshot).tidemark_audit;

describe('a snapshot of the version before', () => {
  test.each(histories.map(({ case: name, records }) => [name, records] as const))(
    '%s goes on as if never written down',
    (_name, records) => {
      const whole = auditOf(records).finish();
      for (let at = 0; at <= records.length; at += Math.max(1, Math.floor(records.length / 12))) {
        const first = auditOf(records.slice(0, at)).snapshot();
        const second = auditOf(records.slice(at), at, restoreAudit(asVersion2(first)));
        expect(second.finish()).toEqual(whole);
      }
    },
  );

  test('takes in that records are kept back from now on', () => {
    const created: TelemetryRecord = { type: 'session', event: 'created', session: 's' };
    const restored = restoreAudit(asVersion2(auditOf([created]).snapshot()));
    expect(JSON.parse(auditOf([keptBack], 1, restored).snapshot())).toEqual(JSON.parse(auditOf([created, keptBack]).snapshot()));
  });

  test('is what is written while nothing was kept back, so that a process of that version goes on from it', () => {
    const [first] = histories;
    expect(versionOf(auditOf(first?.records ?? []).snapshot())).toBe(2);
    expect(versionOf(auditOf([keptBack]).snapshot())).toBe(3);
    expect(versionOf(auditOf([{ ...keptBack, withheld_before: 0, withheld_after: true }]).snapshot())).toBe(3);
  });
});

test.each([
  '{"tidemark_audit":1,"state":{}}',
  '{"tidemark_audit":3,"state":{}}',
  '{"tidemark_audit":2,"state":["a"]}',
  '{"tidemark_audit":3,"sta',
])('what is of another version or damaged is refused: %s', (text) => {
  expect(() => restoreAudit(text)).toThrow(SyntaxError);
});
