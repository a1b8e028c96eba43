import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AppendOp, RedisView } from '@/lib/proxy/redis/log-view';

const RETENTION = { events: 1000, bytes: 1_000_000, ttlMs: 60_000 };

const append = fc.record({
  stream: fc.constantFrom('get', 'post-1'),
  ids: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }).map(String), fc.constantFrom('a', 'b', null)), { minLength: 1, maxLength: 5 }),
  fingerprint: fc.integer({ min: 1, max: 2 }),
});

test('what is to be appended comes again exactly where an id of it was issued before, or where it begins a generation', () => {
  fc.assert(
    fc.property(fc.array(append, { maxLength: 12 }), (appends) => {
      const view = new RedisView({ prefix: 'g', principal: 'p', isHeardFromStart: true, createdAt: 0, retention: RETENTION });
      const issued = new Set<string>();
      for (const { stream, ids, fingerprint } of appends) {
        const events = ids.map((id) => ({ id, fingerprint, bytes: 1, frame: null, isAnswer: false, isOwnId: false, at: 0 }));
        const op: AppendOp = { stream, requestId: null, events };
        const isAgain = view.comesAgain(op);
        const begun = view.append(op).some(({ startedGeneration }) => startedGeneration);
        const repeated = ids.filter((id) => {
          if (id === null) return false;
          const isRepeated = issued.has(id);
          issued.add(id);
          return isRepeated;
        });
        expect(isAgain).toBe(begun || repeated.length > 0);
      }
    }),
  );
});
