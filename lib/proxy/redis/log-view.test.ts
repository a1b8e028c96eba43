import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseOf, baseText } from '@/lib/proxy/redis/keys';
import { type AppendOp, encodeAppend, type OpFields, pairs, RedisView } from '@/lib/proxy/redis/log-view';

const RETENTION = { events: 1000, bytes: 1_000_000, ttlMs: 60_000 };

const append = fc.record({
  stream: fc.constantFrom('get', 'post-1'),
  ids: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }).map(String), fc.constantFrom('a', 'b', null)), { minLength: 1, maxLength: 5 }),
  fingerprint: fc.integer({ min: 1, max: 2 }),
});

const VIEW = { run: 'r', prefix: 'g', principal: 'p', isHeardFromStart: true, createdAt: 0, retention: RETENTION };

test('what is to be appended comes again exactly where an id of it was issued before, or where it begins a generation', () => {
  fc.assert(
    fc.property(fc.array(append, { maxLength: 12 }), (appends) => {
      const view = new RedisView(VIEW);
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

const stream = fc.constantFrom('get', 'post-1', 'post-2');
const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append'), stream, events: fc.integer({ min: 1, max: 3 }), hasId: fc.boolean() }) },
  fc.record({ kind: fc.constant('loss'), stream, requestId: fc.constant(null) }),
  fc.record({ kind: fc.constant('unread'), stream }),
  fc.record({ kind: fc.constant('finish'), stream }),
  fc.record({ kind: fc.constant('reader'), stream, requestId: fc.constant('1'), node: fc.constantFrom('a', 'b'), isReading: fc.boolean() }),
  fc.record({ kind: fc.constant('answered'), stream, ids: fc.constant(['1']) }),
  fc.record({ kind: fc.constant('hole'), stream }),
  fc.record({ kind: fc.constant('generation') }),
);

/** As Redis answers it. An event that is not kept is a hole at the head. */
function fieldsOf(one: Record<string, unknown>, seq: number, view: RedisView): OpFields {
  if (one['kind'] !== 'append') {
    const position = view.log.stream(String(one['stream']))?.head ?? 0;
    return [['c', Buffer.from(JSON.stringify(one['kind'] === 'hole' ? { ...one, position } : one))]];
  }
  const events = Array.from({ length: Number(one['events']) }, (_, i) => ({
    id: one['hasId'] === true ? `${seq}-${i}` : null,
    fingerprint: 1,
    bytes: 1,
    frame: null,
    isAnswer: false,
    isOwnId: false,
    at: seq,
  }));
  return pairs(encodeAppend({ stream: String(one['stream']), requestId: null, events }).map((text) => Buffer.from(text)));
}

test('a copy that counts on from what another told numbers as that one does, whatever came before and comes after', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 2, maxLength: 40 }), fc.nat(), (changes, at) => {
      const whole = new RedisView(VIEW);
      const told = at % (changes.length - 1);
      let later: RedisView | null = null;
      for (const [i, one] of changes.entries()) {
        const fields = fieldsOf(one, i + 1, whole);
        whole.apply(i + 1, fields, 0);
        later?.apply(i + 1, fields, 0);
        if (i === told) later = new RedisView(VIEW, baseOf(baseText({ seq: i + 1, numbering: whole.log.numbering() })));
      }
      expect(later?.isWhole).toBe(false);
      expect(later?.log.numberedFrom).toBe(1);
      expect(later?.log.generation).toBe(whole.log.generation);
      expect(later?.log.numbering().streams).toEqual(whole.log.numbering().streams);
    }),
  );
});
