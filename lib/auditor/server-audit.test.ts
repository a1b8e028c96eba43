import { describe, expect, test } from 'vitest';
import type { Changes, StoredRow } from '@/lib/auditor/audit-source';
import { ServerAudit } from '@/lib/auditor/server-audit';
import type { TelemetryRecord } from '@/lib/wire/schema';

const LIMITS = { settleMs: 60_000, sessionsMax: 100 };
const MINUTE = 60_000;
const START = 1_790_000_000_000;

/** Records of a server `s`, heard at their own time, five seconds apart unless they say when. */
function rows(records: readonly TelemetryRecord[]): StoredRow[] {
  return records.map((record, index) => {
    const atMs = START + (typeof record.at === 'number' ? record.at : index * 5_000);
    return { place: index * 10, atMs, receivedAtMs: atMs, record: { ...record, server: 's', at: atMs }, judged: null };
  });
}

const codes = (changes: Changes): string[] => changes.findings.map(({ finding }) => finding.code).sort();

/** An event is stored while a connection stands, and never written to it. */
const STALLED: TelemetryRecord[] = [
  { type: 'session', event: 'created', session: 'a' },
  { type: 'open', session: 'a', conn: 'c1', method: 'GET', status: 200 },
  { type: 'emit', session: 'a', event_id: '1' },
  { type: 'emit', session: 'a', event_id: '2' },
  { type: 'open', session: 'b', conn: 'x', method: 'POST', status: 200 },
];

describe('the audit of one server', () => {
  test('tells what a silence proves as provisional, and takes it back when what follows disproves it', () => {
    const audit = new ServerAudit('s', null, [], LIMITS);
    for (const row of rows(STALLED)) audit.push(row);
    expect(codes(audit.drain())).toEqual([]);
    const settled = audit.settle(START + 20_000 + MINUTE);
    expect(codes(settled)).toEqual(['stalled_delivery']);
    expect(settled.findings.every(({ scope }) => scope !== null)).toBe(true);
    const late = rows([{ type: 'deliver', session: 'a', conn: 'c1', event_ids: ['1', '2'], at: 90_000 }]);
    for (const row of late) audit.push({ ...row, place: 1_000 });
    expect(codes(audit.drain())).toEqual([]);
    const again = audit.settle(START + 90_000 + MINUTE);
    expect(again.withdrawn).toEqual(settled.findings.map(({ id }) => id));
    expect(codes(again)).toEqual([]);
  });

  test('a provisional finding that is stored is taken back by whoever goes on with the audit', () => {
    const audit = new ServerAudit('s', null, [], LIMITS);
    for (const row of rows(STALLED.slice(0, 2))) audit.push(row);
    audit.drain();
    const taken = new ServerAudit('s', audit.snapshot(), [{ id: 'stored', scope: '=a' }], LIMITS);
    expect(taken.settle(START + 10 * MINUTE).withdrawn).toEqual(['stored']);
  });

  test('a client that was refused and is silent is told of by the clock, though no record follows', () => {
    const audit = new ServerAudit('s', null, [], LIMITS);
    const refused: TelemetryRecord[] = [
      { type: 'session', event: 'created', session: 'a' },
      { type: 'session', event: 'ended', session: 'a' },
      { type: 'request', session: 'a', rpc: { method: 'tools/list', id: 1 }, status: 404 },
    ];
    for (const row of rows(refused)) audit.push(row);
    audit.drain();
    expect(codes(audit.settle(START + 10_000 + 2 * MINUTE))).toEqual([]);
    expect(codes(audit.settle(START + 10_000 + 6 * MINUTE))).toEqual(['silent_client']);
  });

  test('what is forgotten stays told, and cannot be taken back any more', () => {
    const audit = new ServerAudit('s', null, [], LIMITS);
    for (const row of rows(STALLED)) audit.push(row);
    audit.drain();
    const told = audit.settle(START + 20_000 + MINUTE).findings.map(({ id }) => id);
    const last = audit.settle(START + 121 * MINUTE);
    expect(last.withdrawn).toEqual([]);
    expect(last.findings.filter(({ id, scope }) => told.includes(id) && scope === null).map(({ id }) => id)).toEqual(told);
    expect(audit.isEmpty).toBe(true);
  });

  test('goes on from what it wrote down as if it had never stopped', () => {
    const records = rows(STALLED);
    const whole = new ServerAudit('s', null, [], LIMITS);
    for (const row of records) whole.push(row);
    let parts = new ServerAudit('s', null, [], LIMITS);
    for (const row of records) {
      parts.push(row);
      parts = new ServerAudit('s', parts.snapshot(), [], LIMITS);
    }
    const now = START + 10 * MINUTE;
    expect(parts.settle(now)).toEqual(whole.settle(now));
  });
});
