import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAudit, restoreAudit } from '@/lib/audit/audit';
import { auditRecords } from '@/lib/audit/audit-records';
import type { Finding } from '@/lib/audit/finding';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { interleave, plant } from '@/tests/audit/faults';
import { randomFrom } from '@/tests/audit/random';
import { Schedule } from '@/tests/audit/schedule';

const seeds = fc.integer({ min: 0, max: 2_147_483_647 });
const folder = new URL('../../tests/histories/', import.meta.url);
const histories = readdirSync(folder).flatMap(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { records: TelemetryRecord[] }[],
);

function answerOf(records: readonly unknown[]) {
  const answer = auditRecords(records);
  if (!answer.ok) throw new Error(`record ${answer.error.index}: ${answer.error.path} ${answer.error.message}`);
  return answer.value;
}

const created: TelemetryRecord = { type: 'session', event: 'created' };

describe('events that an ended connection was not written', () => {
  const opened: TelemetryRecord = { type: 'open', conn: 'c1', method: 'GET', status: 200, at: 1_000 };
  const first: TelemetryRecord[] = [
    created,
    opened,
    { type: 'emit', event_ids: ['1'], at: 1_100 },
    { type: 'deliver', conn: 'c1', event_ids: ['1'], at: 1_110 },
    { type: 'emit', event_ids: ['2', '3'], at: 2_000 },
    { type: 'close', conn: 'c1', by: 'client', at: 12_000 },
  ];
  const resumed: TelemetryRecord = { type: 'resume_attempt', conn: 'c2', last_event_id: '1', verdict: 'resumed', status: 200, at: 13_000 };
  const written = (ids: string[]): TelemetryRecord => ({ type: 'deliver', conn: 'c2', event_ids: ids, at: 13_010 });
  const without = (records: TelemetryRecord[]) => records.map(({ at: _at, ...record }) => record as TelemetryRecord);
  const stalledIn = (records: TelemetryRecord[]) => answerOf(records).findings.filter(({ code }) => code === 'stalled_delivery');

  test.each([
    ['with instants', (records: TelemetryRecord[]) => records],
    ['without instants', without],
  ])('are a stall when nobody is written them, and none once a replay brings them, %s', (_name, as) => {
    expect(stalledIn(as(first))).toMatchObject([{ conn: 'c1', count: 2, first: '2', last: '3' }]);
    expect(stalledIn(as([...first, resumed, written(['2', '3'])]))).toEqual([]);
  });

  test('only those that no replay brought count', () => {
    expect(stalledIn([...first, resumed, written(['2'])]).find(({ conn }) => conn === 'c1')).toMatchObject({ count: 1, first: '3' });
  });

  test('are no stall when the connection closed right behind the emit', () => {
    const raced = first.map((record) => (record.type === 'close' ? { ...record, at: 2_005 } : record));
    expect(stalledIn(raced)).toEqual([]);
  });
});

describe('continuous audit', () => {
  test('a snapshot at any point goes on to the same answer', () => {
    fc.assert(
      fc.property(fc.constantFrom(...histories), fc.double({ min: 0, max: 1, noNaN: true }), ({ records }, part) => {
        const at = Math.floor(part * records.length);
        const first = createAudit();
        for (const [index, record] of records.slice(0, at).entries()) first.push(record, index);
        const second = restoreAudit(first.snapshot());
        for (const [index, record] of records.slice(at).entries()) second.push(record, at + index);
        expect(second.finish()).toEqual(answerOf(records));
      }),
      { numRuns: 150, seed: 20261130 },
    );
  });

  test('findings drained on the way, the newest of each, with those at the end are the whole answer', () => {
    for (const { records } of histories) {
      const audit = createAudit();
      const newest = new Map<string, Finding>();
      const keep = (finding: Finding) =>
        newest.set([finding.code, finding.session, finding.stream, finding.conn, finding.index].join(' '), finding);
      for (const [index, record] of records.entries()) {
        audit.push(record, index);
        for (const finding of audit.drainFindings()) keep(finding);
      }
      for (const finding of audit.finish().findings) keep(finding);
      const byPlace = (a: Finding, b: Finding) => JSON.stringify(a).localeCompare(JSON.stringify(b));
      expect([...newest.values()].sort(byPlace)).toEqual([...answerOf(records).findings].sort(byPlace));
    }
  });

  test('asking for the answer in between changes nothing', () => {
    for (const { records } of histories) {
      const audit = createAudit();
      for (const [index, record] of records.entries()) {
        audit.push(record, index);
        audit.finish();
      }
      expect(audit.finish()).toEqual(answerOf(records));
    }
  });

  test('a text that is no snapshot is refused', () => {
    expect(() => restoreAudit('{}')).toThrow(SyntaxError);
    expect(() => restoreAudit('{"tidemark_audit":99,"state":{}}')).toThrow(SyntaxError);
  });
});

describe('bad input', () => {
  test('records in any order never throw', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = randomFrom(seed);
        const records = new Schedule(random, 60).records.map((record) => ({ record, key: random.integer(0, 1_000_000) }));
        records.sort((a, b) => a.key - b.key);
        expect(answerOf(records.map(({ record }) => record)).findings).toBeInstanceOf(Array);
      }),
      { numRuns: 100, seed: 20261130 },
    );
  });

  test('every fault survives the loss of any single record without an exception', () => {
    for (const { records } of histories) for (let at = 0; at < records.length; at++) answerOf(records.toSpliced(at, 1));
  });

  test('records sent twice in a row prove nothing against a correct server', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const records = new Schedule(randomFrom(seed), 60).records.flatMap((record) =>
          record.type === 'emit' || record.type === 'evict' ? [record, record] : [record],
        );
        expect(answerOf(records).findings.filter((finding) => finding.blame === 'server')).toEqual([]);
      }),
      { numRuns: 100, seed: 20261130 },
    );
  });

  test('unknown connections, sessions and ids are no finding', () => {
    const { findings } = answerOf([
      { type: 'deliver', conn: 'nowhere', event_ids: ['a', 'b'] },
      { type: 'close', conn: 'nowhere' },
      { type: 'close', conn: 'other', session: 'unseen' },
      { type: 'evict', floor: 'x', session: 'unseen' },
      { type: 'client', event: 'discarded', event_ids: ['q'] },
      { type: 'deliver', conn: 'c', range: [5, 9], session: null },
    ]);
    expect(findings).toEqual([]);
  });

  test('an attempt without a history says which facts are missing', () => {
    const { resumes } = answerOf([{ type: 'resume_attempt', last_event_id: '7', verdict: 'resumed', status: 200 }]);
    expect(resumes).toMatchObject([{ assessment: 'unverifiable', decision: null }]);
    expect(resumes[0]?.missing).toEqual(['session_state', 'cursor']);
  });

  test('a million ids in one delivery, and a range of 2^62 events, are taken in whole', () => {
    const ids = Array.from({ length: 1_000_000 }, (_, i) => `id-${i}`);
    const whole = answerOf([
      created,
      { type: 'open', conn: 'c', method: 'GET', status: 200 },
      { type: 'emit', event_ids: ids },
      { type: 'deliver', conn: 'c', event_ids: ids },
    ]);
    expect(whole.findings).toEqual([]);
    const huge = answerOf([
      created,
      { type: 'open', conn: 'c', method: 'GET', status: 200 },
      { type: 'emit', range: [1, '4611686018427387904'] },
      { type: 'deliver', conn: 'c', range: [1, 10] },
      { type: 'close', conn: 'c', by: 'network' },
      {
        type: 'resume_attempt',
        conn: 'd',
        last_event_id: '10',
        verdict: 'resumed',
        status: 200,
        replayed: { count: 0, first: null, last: null },
      },
      { type: 'close', conn: 'd', by: 'client' },
    ]);
    expect(huge.findings).toMatchObject([{ code: 'gap', count: '4611686018427387894', first: '11', last: '4611686018427387904' }]);
  });

  test.each([
    ['of an object', '__proto__'],
    ['of a function', 'constructor'],
    ['NUL', '\u0000'],
    ['a lone surrogate', '\ud800'],
    ['400 digits', '9'.repeat(400)],
    ['2,000 numbers', '1-'.repeat(2_000)],
    ['with a turn of direction', '\u202e7'],
    ['zero-padded beyond any position', '0000000000000000000000007'],
  ])('an id %s is a label like any other', (_what, id) => {
    const { findings, resumes } = answerOf([
      created,
      { type: 'open', conn: 'c', method: 'GET', status: 200 },
      { type: 'emit', event_ids: [id, 'next', 'last'] },
      { type: 'deliver', conn: 'c', event_ids: [id, 'next', 'last'] },
      { type: 'close', conn: 'c', by: 'network' },
      { type: 'resume_attempt', conn: 'd', last_event_id: 'next', verdict: 'resumed', status: 200 },
      { type: 'deliver', conn: 'd', event_ids: ['last'] },
      { type: 'close', conn: 'd', by: 'client' },
    ]);
    expect(findings).toEqual([]);
    expect(resumes).toMatchObject([{ assessment: 'correct', decision: { replay: { count: 1 } } }]);
  });

  test('findings name faults that are there, whatever is interleaved', () => {
    const random = randomFrom(7);
    const { findings } = answerOf(interleave(random, new Schedule(random, 80).records, plant('gap', random).records));
    for (const finding of findings) {
      expect(finding.records.length).toBeGreaterThan(0);
      expect(finding.message).not.toContain('undefined');
    }
  });
});

test('a replay is measured in the numbers of its own record, where those tell all of its facts', () => {
  const log = { session: 'S1', generation: 'g' };
  const replay = (last: string, count: number) =>
    auditRecords([
      { type: 'session', event: 'created', ...log },
      { type: 'open', conn: 'c1', method: 'GET', status: 200, ...log },
      { type: 'emit', event_ids: ['e1', 'e2', 'e3'], ...log },
      { type: 'deliver', conn: 'c1', event_ids: ['e1'], ...log },
      { type: 'close', conn: 'c1', by: 'network', ...log },
      {
        ...{ type: 'resume_attempt', conn: 'c2', last_event_id: 'e1', requested_generation: 'g', session_state: 'live', ...log },
        ...{ cursor: 41, floor: 41, head: 43, holes: [], reused: [], verdict: 'resumed', status: 200 },
        replayed: { count, first: 'e2', last },
      },
    ]);
  const assessments = [replay('e3', 2), replay('e2', 1)].map((answer) => answer.ok && answer.value.resumes[0]?.assessment);
  expect(assessments).toEqual(['correct', 'bad_replay']);
});
