import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { decodeRecord, RECORD_TYPES } from '@/lib/wire/decode-record';

const attempt = (members: object) => ({ type: 'resume_attempt', verdict: 'resumed', ...members });

describe('bad records name their first bad field', () => {
  test.each([
    { value: null, path: '' },
    { value: [], path: '' },
    { value: {}, path: 'type' },
    { value: { type: 'telepathy' }, path: 'type' },
    { value: { type: 'resume_attempt' }, path: 'verdict' },
    { value: attempt({ verdict: 'maybe' }), path: 'verdict' },
    { value: attempt({ cursor: -1 }), path: 'cursor' },
    { value: attempt({ cursor: '9223372036854775808' }), path: 'cursor' },
    { value: attempt({ cursor: '007' }), path: 'cursor' },
    { value: attempt({ floor: 12, head: 10 }), path: 'floor' },
    { value: attempt({ holes: [[1, 'x']] }), path: 'holes[0][1]' },
    { value: attempt({ holes: [[4, 2]] }), path: 'holes[0][1]' },
    {
      value: attempt({
        holes: [
          [1, 4],
          [4, 5],
        ],
      }),
      path: 'holes[1][0]',
    },
    { value: attempt({ replayed: { first: 'a' } }), path: 'replayed.count' },
    { value: attempt({ id: 'not-a-uuid' }), path: 'id' },
    { value: attempt({ at: 'yesterday' }), path: 'at' },
    { value: attempt({ at: '2026-13-45T99:00:00Z' }), path: 'at' },
    { value: attempt({ server: 'a\u0000b' }), path: 'server' },
    { value: attempt({ session: 5 }), path: 'session' },
    { value: attempt({ client: { name: 7 } }), path: 'client.name' },
    { value: { type: 'emit' }, path: 'event_id' },
    { value: { type: 'emit', event_id: '1', range: [1, 2] }, path: 'event_id' },
    { value: { type: 'emit', range: [2, 1] }, path: 'range[1]' },
    { value: { type: 'emit', event_id: '1', rpc: { type: 'shout' } }, path: 'rpc.type' },
    { value: { type: 'evict' }, path: 'floor' },
    { value: { type: 'deliver', conn: 'c1' }, path: 'event_ids' },
    { value: { type: 'session' }, path: 'event' },
  ])('$path of $value', ({ value, path }) => {
    const decoded = decodeRecord(value);
    expect(decoded.ok ? 'accepted' : decoded.error.path).toBe(path);
  });
});

describe('good records', () => {
  test.each(readdirSync('tests/histories'))('every record of %s is read', (file) => {
    const cases = parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as { records: unknown[] }[];
    for (const { records } of cases) for (const record of records) expect(decodeRecord(record)).toMatchObject({ ok: true });
  });

  test('floor may stand one above head, which is an empty log', () => expect(decodeRecord(attempt({ floor: 11, head: 10 })).ok).toBe(true));
  test('ids of any bytes are kept', () => {
    const record = { type: 'emit', event_id: 'a\u0000\ud800é\n' };
    expect(decodeRecord(record)).toEqual({ ok: true, value: record });
  });
  test('unknown members are kept', () =>
    expect(decodeRecord(attempt({ shard: { n: 4 } }))).toEqual({ ok: true, value: attempt({ shard: { n: 4 } }) }));
});

test('no value makes decoding throw', () => {
  const hostile = fc.oneof(
    fc.anything(),
    fc
      .record({ type: fc.constantFrom(...RECORD_TYPES) }, { noNullPrototype: true })
      .chain((base) =>
        fc
          .dictionary(
            fc.constantFrom('at', 'id', 'cursor', 'holes', 'range', 'event_ids', 'replayed', 'rpc', 'verdict', 'floor', 'head'),
            fc.anything(),
          )
          .map((members) => ({ ...base, ...members })),
      ),
  );
  fc.assert(
    fc.property(hostile, (value) => typeof decodeRecord(value).ok === 'boolean'),
    { numRuns: 1000 },
  );
});
