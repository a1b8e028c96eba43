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

/** Ids that end in no number. */
const NO_COUNT = fc.uuid().map((id) => `${id}.`);

const named = (owner: ReturnType<IdIndex['owner']>) => owner && { stream: owner.stream.name, position: owner.position };

const STEP = fc.record({
  act: fc.constantFrom(...new Array<'issue'>(20).fill('issue'), 'drop', 'clear'),
  stream: fc.constantFrom(0, 0, 0, 0, 1, 2),
  id: ID,
});

/** An index in use, and beside it a model that knows every id ever issued. */
class Issuer {
  readonly index = new IdIndex();
  readonly issued = new Map<string, number>();
  readonly remembered = new Map<string, { stream: string; position: number }>();
  private readonly streams = [0, 1, 2].map((i) => new StreamLog(`s${i}`, null, 0));
  private next = 0;

  issue(at: number, kind: string): void {
    const stream = this.stream(at);
    const id = kind === 'next' ? String(this.next++) : kind;
    const isGreatest = this.index.claimGreatest(id, stream);
    const position = stream.append({ id, fingerprint: 0, bytes: 0, frame: null, isAnswer: false, isOwnId: false, at: 0 });
    if (!isGreatest) this.index.claim(id, stream, position);
    this.issued.set(id, (this.issued.get(id) ?? 0) + 1);
    this.remembered.set(id, { stream: stream.name, position });
    stream.trim(RETENTION, 0, (forgotten, from) => {
      this.index.release(forgotten, from);
      if (this.issued.get(forgotten) === 1) this.remembered.delete(forgotten);
    });
  }

  drop(at: number): void {
    const stream = this.stream(at);
    this.index.drop(stream);
    stream.forEachId((id) => {
      if (this.remembered.get(id)?.stream === stream.name) this.remembered.delete(id);
    });
    this.streams[at] = new StreamLog(stream.name, null, 0);
  }

  clear(): void {
    for (const [at, stream] of this.streams.entries()) {
      stream.forEachId((id) => this.index.forget(id));
      this.streams[at] = new StreamLog(stream.name, null, 0);
    }
    this.index.clear();
    this.remembered.clear();
  }

  stream(at: number): StreamLog {
    return this.streams[at] ?? new StreamLog('', null, 0);
  }
}

test.each([
  ['all that was forgotten is known', 0],
  ['more was forgotten than is kept', 200_000],
])('an id that was issued twice never has an owner that is known to be the only one: %s', (_case, before) => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 90 }), fc.nat(2), (steps, streamsUsed) => {
      const issuer = new Issuer();
      for (let i = 0; i < before; i++) issuer.index.forget(`f${i}`);
      for (const { act, stream, id } of steps) {
        const at = Math.min(stream, streamsUsed);
        if (act === 'issue') issuer.issue(at, id);
        else if (act === 'drop') issuer.drop(at);
        else issuer.clear();
      }
      const of = ([id]: [string, number]) => issuer.index.owner(id);
      const [twice, once] = [[...issuer.issued].filter(([, times]) => times > 1), [...issuer.issued].filter(([, times]) => times === 1)];
      expect(twice.filter((one) => of(one)?.isNew)).toEqual([]);
      for (const one of once) expect([one[0], named(of(one) ?? undefined)]).toEqual([one[0], issuer.remembered.get(one[0])]);
      expect(issuer.index.owner('never issued')).toBeUndefined();
    }),
    { numRuns: before > 0 ? 20 : 500 },
  );
});

test('in front of a server that counts over all its streams, every id that is remembered is known to be new', () => {
  const issuer = new Issuer();
  for (let i = 1; i <= 300; i++) issuer.issue(i < 40 ? 0 : i % 3, 'next');
  for (const at of [0, 1, 2]) issuer.stream(at).forEachId((id) => expect([id, issuer.index.owner(id)?.isNew]).toEqual([id, true]));
});

test('an id that is no count is known to be new, and one that was never issued is not taken for forgotten, whatever others were forgotten', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(NO_COUNT, { minLength: 2, maxLength: 40 }),
      NO_COUNT,
      fc.infiniteStream(fc.boolean()),
      (ids, other, drops) => {
        const issuer = new Issuer();
        for (const id of ids) {
          issuer.issue(0, id);
          expect(issuer.index.owner(id)?.isNew).toBe(true);
          if (drops.next().value) issuer.drop(0);
        }
        expect(issuer.index.wasForgotten(other)).toBe(ids.includes(other) && issuer.index.owner(other) === undefined);
      },
    ),
  );
});

test('counts of more streams than are told apart are forgotten without being taken for new', () => {
  const issuer = new Issuer();
  const texts = Array.from({ length: 40 }, (_, i) => `s${i}-`);
  for (const text of texts) {
    for (let i = 1; i <= 20; i++) issuer.issue(0, `${text}${i}`);
    issuer.drop(0);
  }
  for (const text of texts) {
    issuer.issue(1, `${text}1`);
    expect([text, issuer.index.owner(`${text}1`)?.isNew]).toEqual([text, false]);
  }
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
