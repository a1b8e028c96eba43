import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Listening, type UpstreamWord, UpstreamWords } from '@/lib/proxy/upstream-words';

const HOUR = 3_600_000;
const word = (kind: UpstreamWord['kind'], generation: string, at: number, more: Partial<UpstreamWord> = {}): UpstreamWord => ({
  kind,
  generation,
  node: 'n1',
  at,
  receivedAt: at,
  place: at,
  ref: kind === 'boot' ? null : 'S',
  ...more,
});
const heardOf = (words: readonly UpstreamWord[]): UpstreamWords => {
  const heard = new UpstreamWords((token) => token);
  for (const one of words) heard.hear(one);
  return heard;
};
const told = (generation: string, at: number, more: Partial<Listening['told']> = {}) => ({
  generation,
  at,
  node: 'n1',
  place: at,
  ...more,
});
const asked = (more: Partial<Listening> = {}): Listening => ({ told: null, createdAt: 100, ref: 'S', isJudged: true, ...more });

describe('what a word means for a session', () => {
  test.each<[string, UpstreamWord[], Partial<Listening>, string | null]>([
    ['its first beginning is no change', [word('created', 'g1', 110)], {}, 'no'],
    ['one that is said to be restored is one, of which cursors nobody knows', [word('restored', 'g2', 110)], {}, 'maybe'],
    ['two beginnings are a change', [word('created', 'g1', 110), word('created', 'g2', 120)], {}, 'maybe'],
    ['another label than was told', [word('created', 'g2', 120)], { told: told('g1', 110) }, 'certainly'],
    ['the same label again', [word('created', 'g1', 120)], { told: told('g1', 110) }, null],
    ['an older word of the same process', [word('created', 'g0', 90, { place: 130 })], { told: told('g1', 110) }, null],
    ['the beginning of another session', [word('created', 'g2', 120, { ref: 'T' })], { told: told('g1', 110) }, null],
    ['an end of the session', [word('other', 'g2', 120)], { told: told('g1', 110) }, null],
    ['its own process began anew', [word('boot', 'g2', 120)], { told: told('g1', 110) }, 'certainly'],
    ['the boot of the process that it is of, told late', [word('boot', 'g2', 100, { place: 130 })], { told: told('s2', 110) }, null],
    ['a boot under its own label', [word('boot', 'g1', 120)], { told: told('g1', 110) }, null],
    ['a process of a new name may stand in for its own', [word('boot', 'g2', 120, { node: 'n2' })], { told: told('g1', 110) }, 'maybe'],
    [
      'another process whose name is known began anew',
      [word('boot', 'g2', 50, { node: 'n2' }), word('boot', 'g3', 120, { node: 'n2' })],
      { told: told('g1', 110) },
      null,
    ],
    ['a boot while nothing was told of the session', [word('boot', 'g2', 120)], {}, 'maybe'],
    ['a boot before the session began', [word('boot', 'g2', 90)], {}, null],
    ['a boot long before, told late', [word('boot', 'g2', 90, { receivedAt: HOUR + 2 })], { createdAt: HOUR }, null],
    ['a boot of a process without a name', [word('boot', 'g2', 120, { node: null })], { told: told('g1', 110) }, 'maybe'],
    [
      'the beginning of a session and, heard with it, that its process began anew',
      [word('created', 'g1', 110), word('boot', 'g2', 120)],
      {},
      'certainly',
    ],
    ['a boot, for a session whose process has no name', [word('boot', 'g2', 120)], { told: told('g1', 110, { node: null }) }, 'maybe'],
  ])('%s', (_what, words, listening, rebuilt) => {
    expect(heardOf(words).newsOf(asked(listening))?.rebuilt ?? null).toBe(rebuilt);
  });

  test('doubt counts only where a cursor is judged, and a label lifts it', () => {
    const words = heardOf([word('boot', 'g2', 120)]);
    expect(words.newsOf(asked({ isJudged: false }))).toBeNull();
    words.hear(word('created', 'g2', 121));
    expect(words.newsOf(asked())?.rebuilt).toBe('no');
    expect(words.newsOf(asked({ told: told('g2', 121) }))).toBeNull();
  });
});

test('a session follows its newest numbering and never goes back, whatever comes late, twice or in disorder', () => {
  const newest = 10;
  const told = fc.array(fc.integer({ min: 1, max: newest }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(told, (order) => {
      const words = new UpstreamWords((token) => token);
      let now: Listening['told'] = null;
      let highest = 0;
      for (const [receipt, at] of order.entries()) {
        words.hear(word(at % 2 === 0 ? 'boot' : 'created', `g${at}`, at, { place: receipt }));
        const news = words.newsOf(asked({ told: now, createdAt: 0 }));
        if (news !== null) now = news.told;
        // Told of it again, nothing is new.
        expect(words.newsOf(asked({ told: now, createdAt: 0 }))).toBeNull();
        if (now === null) continue;
        expect(now.at).toBeGreaterThanOrEqual(highest);
        highest = now.at;
      }
    }),
  );
});
