import { describe, expect, test } from 'vitest';
import { itemWords, lanesOf, spanWords } from '@/components/overview/annotation-lanes';
import { type Annotation, annotationWords } from '@/components/overview/annotation-words';

const AREA = { left: 0, right: 600, fromMs: 0, toMs: 600_000 };
const note = (kind: Annotation['kind'], second: number, over: Partial<Annotation> = {}): Annotation => ({
  at: new Date(second * 1_000).toISOString(),
  until: null,
  kind,
  count: 1,
  servers: ['a'],
  servers_total: 1,
  label: null,
  incident: null,
  ...over,
});

describe('lanes', () => {
  test('hold only what happened, incidents above deploys above evictions', () => {
    const lanes = lanesOf(
      [note('boot', 10), note('forced_eviction', 20), note('storm', 30, { until: new Date(60_000).toISOString() })],
      AREA,
    );
    expect(lanes.map(({ name }) => name)).toEqual(['incidents', 'deploys and boots', 'evictions']);
    expect(lanesOf([note('eviction', 10)], AREA)).toEqual([]);
  });

  test('merge what stands too close, and count it', () => {
    const [lane] = lanesOf([note('boot', 100), note('boot', 105), note('boot', 110), note('boot', 300)], AREA);
    expect(lane?.items.map(({ x, tag }) => [x, tag])).toEqual([
      [100, '3 boots a'],
      [300, 'boot a'],
    ]);
  });

  test('merge incidents that overlap, and lead to one that stands alone', () => {
    const until = new Date(200_000).toISOString();
    const first = note('incident', 100, { until, label: 'loses events', incident: 'i1' });
    const storm = note('storm', 150, { until, label: 'other', incident: 'i2' });
    const [lane] = lanesOf([first, storm], AREA);
    expect(lane?.items).toMatchObject([{ x: 100, width: 100, incident: null, isList: true, tag: '2 incidents' }]);
    expect(lanesOf([first], AREA)[0]?.items).toMatchObject([{ incident: 'i1', isList: false, tag: 'loses events' }]);
  });

  test('list what is not alike on a press, and only count what is', () => {
    const items = (...annotations: Annotation[]) => lanesOf(annotations, AREA)[0]?.items.map(({ isList, tag }) => [isList, tag]);
    expect(items(note('boot', 100), note('deploy', 105))).toEqual([[true, '2 notes']]);
    expect(items(note('boot', 100), note('boot', 105, { servers: ['b'] }))).toEqual([[true, '2 notes']]);
    expect(items(note('boot', 100), note('boot', 105))).toEqual([[false, '2 boots a']]);
    expect(items(note('boot', 100))).toEqual([[false, 'boot a']]);
  });

  test.each([
    [null, '02:14'],
    ['02:14:59', '02:14'],
    ['02:15:00', '02:14 to 02:15'],
  ])('that last until %s are timed "%s"', (until, words) => {
    const one = note('incident', 0, { at: '2025-12-01T02:14:49Z', until: until === null ? null : `2025-12-01T${until}Z` });
    expect(spanWords(one, (atMs) => new Date(atMs).toISOString().slice(11, 16))).toBe(words);
  });

  test('do not overlap', () => {
    const many = Array.from({ length: 400 }, (_, index) => note(index % 3 === 0 ? 'deploy' : 'boot', index * 1.4));
    const [lane] = lanesOf(many, AREA);
    const places = lane?.items.map(({ x }) => x) ?? [];
    for (const [index, x] of places.entries()) expect((places[index + 1] ?? 700) - x).toBeGreaterThanOrEqual(15);
    expect(lane?.items.reduce((sum, { annotations }) => sum + annotations.length, 0)).toBe(400);
  });

  test('say each annotation with its time, and how many more there are', () => {
    const [lane] = lanesOf(
      Array.from({ length: 10 }, (_, index) => note('boot', index)),
      AREA,
    );
    const [item] = lane?.items ?? [];
    const words = item === undefined ? '' : itemWords(item, (atMs) => `${atMs / 1_000} s`);
    expect(words.split('\n')).toHaveLength(9);
    expect(words).toContain('1 s 1 boot: a');
    expect(words).toContain('and 2 more');
  });
});

test.each([
  [note('boot', 0, { count: 2, servers: ['a', 'b', 'c'], servers_total: 5 }), '2 boots: a, b, c and 2 more'],
  [note('deploy', 0, { label: 'v42' }), 'deployed v42: a'],
  [note('generation', 0), '1 session in a new generation: a'],
  [note('forced_eviction', 0, { count: 3 }), '3 evictions by a restart or for want of memory: a'],
  [note('proxy_mode', 0, { label: 'payments → enforce', servers: [], servers_total: 0 }), 'proxy route payments → enforce'],
])('an annotation says what happened and where', (annotation, words) => {
  expect(annotationWords(annotation)).toBe(words);
});
