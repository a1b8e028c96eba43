import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdIndex } from '@/lib/session-log/id-index';
import { StreamLog } from '@/lib/session-log/stream-log';

const RETENTION = { events: 4, bytes: 1e9, ttlMs: 1e9 };

/** Ids that mostly rise, as servers number, and now and then do not. */
const ID = fc.oneof(
  { weight: 6, arbitrary: fc.constant('next' as const) },
  { weight: 1, arbitrary: fc.nat(30).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'zz', '007') },
);

const named = (owner: ReturnType<IdIndex['owner']>) => owner && { stream: owner.stream.name, position: owner.position };

test('whatever is issued by whatever streams, the owner of an id is the one a plain map would name', () => {
  const step = fc.record({ stream: fc.constantFrom(0, 0, 0, 0, 1, 2), id: ID });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(3), (steps, streamsUsed) => {
      const index = new IdIndex();
      const streams = [0, 1, 2].map((i) => new StreamLog(`s${i}`, null, 0));
      const model = new Map<string, { stream: string; position: number } | null>();
      let next = 0;
      for (const { stream: wanted, id: kind } of steps) {
        const stream = streams[Math.min(wanted, streamsUsed)];
        if (stream === undefined) continue;
        const id = kind === 'next' ? String(next++) : kind;
        const position = stream.append({ id, fingerprint: 0, bytes: 0, frame: null, isAnswer: false, isOwnId: false, at: 0 });
        index.claim(id, stream, position);
        model.set(id, model.has(id) ? null : { stream: stream.name, position });
        stream.trim(RETENTION, 0, (forgotten, from) => {
          index.release(forgotten, from);
          const owner = model.get(forgotten);
          if (owner === null || owner?.stream === from.name) model.delete(forgotten);
        });
      }
      for (const id of [...Array.from({ length: 80 }, (_, i) => String(i)), 'a', 'zz', '007']) {
        expect([id, named(index.owner(id))]).toEqual([id, model.get(id)]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a dropped stream owns nothing any more', () => {
  for (const others of [0, 1]) {
    const index = new IdIndex();
    const [one, two] = [new StreamLog('one', null, 0), new StreamLog('two', null, 0)];
    const issue = (stream: StreamLog, id: string) =>
      index.claim(id, stream, stream.append({ id, fingerprint: 0, bytes: 0, frame: null, isAnswer: false, isOwnId: false, at: 0 }));
    issue(one, '1');
    if (others > 0) issue(two, '2');
    index.drop(one);
    expect(index.owner('1')).toBeUndefined();
    expect(index.owner('2')?.stream.name).toBe(others > 0 ? 'two' : undefined);
  }
});
