import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ParsedQuery, parseQuery, type QueryLanguage, writeQuery } from '@/components/query/query-language';

const LANGUAGE: QueryLanguage = {
  fields: [
    { name: 'server', kind: 'names', canExclude: true },
    { name: 'session', kind: 'text' },
    { name: 'reason', kind: 'members', members: ['hole', 'below_floor'], canExclude: true },
    { name: 'gap', kind: 'count' },
  ],
  takesText: true,
};

const read = (text: string) => {
  const parsed = parseQuery(text, LANGUAGE);
  if (!parsed.ok) return parsed.error;
  const { values, excluded, counts, text: words } = parsed.value;
  const left = excluded.size === 0 ? {} : { excluded: Object.fromEntries(excluded) };
  return { values: Object.fromEntries(values), ...left, counts: Object.fromEntries(counts), text: words };
};

test.each([
  ['', { values: {}, counts: {}, text: null }],
  [
    'server:payments reason:hole gap>10',
    { values: { server: ['payments'], reason: ['hole'] }, counts: { gap: { min: 11n, max: null } }, text: null },
  ],
  ['server:a,b server:b,c', { values: { server: ['a', 'b', 'c'] }, counts: {}, text: null }],
  ['server:"two words","a,b"', { values: { server: ['two words', 'a,b'] }, counts: {}, text: null }],
  ['session:x session:y', { values: { session: ['y'] }, counts: {}, text: null }],
  ['gap:10..20', { values: {}, counts: { gap: { min: 10n, max: 20n } }, text: null }],
  ['gap<=3', { values: {}, counts: { gap: { min: null, max: 3n } }, text: null }],
  ['gap=7', { values: {}, counts: { gap: { min: 7n, max: 7n } }, text: null }],
  ['some  words gap>=1 here', { values: {}, counts: { gap: { min: 1n, max: null } }, text: 'some words here' }],
  ['"id:with colon"', { values: {}, counts: {}, text: 'id:with colon' }],
  ['-reason:hole server:a', { values: { server: ['a'] }, excluded: { reason: ['hole'] }, counts: {}, text: null }],
  ['reason!=hole -server:a,b', { values: {}, excluded: { reason: ['hole'], server: ['a', 'b'] }, counts: {}, text: null }],
  ['-word', { values: {}, counts: {}, text: '-word' }],
  ['E_1052', { values: {}, counts: {}, text: 'E_1052' }],
])('%j is read', (text, want) => {
  expect(read(text)).toEqual(want);
});

test.each([
  ['server:a colour:red', 9, 19, 'There is no field colour'],
  ['reason:hole,holl', 12, 16, 'reason is one of hole, below_floor'],
  ['gap>ten', 0, 7, 'gap takes a whole number'],
  ['gap<0', 0, 5, 'gap takes a whole number'],
  ['gap:20..10', 0, 10, 'gap takes a whole number'],
  ['server>3', 0, 8, 'server is no number'],
  ['x server:', 9, 10, 'server needs a value'],
  ['-session:x', 0, 10, 'session cannot be left out. server, reason can be: -server:value.'],
  ['-gap:3', 0, 6, 'gap cannot be left out'],
  ['-reason:holl', 8, 12, 'reason is one of'],
  ['x "open', 2, 7, 'The quote is not closed'],
])('%j is refused at its place', (text, from, to, message) => {
  expect(read(text)).toMatchObject({ from, to, message: expect.stringContaining(message) });
});

test('a language without text says which fields there are', () => {
  expect(parseQuery('hello', { ...LANGUAGE, takesText: false })).toMatchObject({ ok: false, error: { from: 0, to: 5 } });
});

const word = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => text.trim() !== '' && !/\s/.test(text));
const query = fc.record({
  server: fc.uniqueArray(word, { maxLength: 3 }),
  reason: fc.subarray(['hole', 'below_floor']),
  not: fc.subarray(['hole', 'below_floor']),
  gap: fc.option(fc.tuple(fc.bigInt(0n, 10n ** 18n), fc.option(fc.bigInt(0n, 10n ** 18n)))),
  text: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))),
});

test('what is written is read back to the same', () => {
  fc.assert(
    fc.property(query, ({ server, reason, not, gap, text }) => {
      const values = new Map([['server', server] as const, ['reason', reason] as const].filter(([, list]) => list.length > 0));
      const bounds = gap === null ? null : { min: gap[0], max: gap[1] === null ? null : gap[0] + gap[1] };
      const excluded = new Map([['reason', not] as const].filter(([, list]) => list.length > 0));
      const parsed: ParsedQuery = { values, excluded, counts: new Map(bounds === null ? [] : [['gap', bounds] as const]), text };
      expect(parseQuery(writeQuery(parsed, LANGUAGE), LANGUAGE)).toEqual({ ok: true, value: parsed });
    }),
  );
});

test('no text makes the reader throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseQuery(text, LANGUAGE)));
});
