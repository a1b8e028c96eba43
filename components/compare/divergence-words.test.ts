import { expect, test } from 'vitest';
import { divergenceSentence, valueWords } from '@/components/compare/divergence-words';
import { compareHistories } from '@/lib/replay/compare';
import { S01_RECORDS, S02_RECORDS } from '@/tests/debugger/sample-history';

test('a history does not depart from itself, whatever its names and instants', () => {
  const other = S02_RECORDS.map((record) => ({ ...record, at: '2030-01-01T00:00:00Z', server: 'other', id: crypto.randomUUID() }));
  expect(divergenceSentence(compareHistories(S02_RECORDS, other))).toMatch(/steps are alike: neither history departs/);
});

test('the member that differs first is named with both its values', () => {
  const safe = S02_RECORDS.map((record) => (record.type === 'resume_attempt' ? { ...record, verdict: 'refused' as const } : record));
  expect(divergenceSentence(compareHistories(S02_RECORDS, safe))).toBe(
    '51 steps are alike, then they differ in verdict: resumed at the left, refused at the right.',
  );
});

test('a history that ends first is said to', () => {
  expect(divergenceSentence(compareHistories(S01_RECORDS.slice(0, 5), S01_RECORDS))).toBe(
    '5 steps are alike, then the left history ends and the other goes on.',
  );
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [3, '3'],
  [[1, 2], '[1,2]'],
])('%j reads as %s', (value, words) => {
  expect(valueWords(value)).toBe(words);
});
