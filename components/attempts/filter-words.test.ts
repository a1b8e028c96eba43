import { expect, test } from 'vitest';
import { filterWords, toggled } from '@/components/attempts/filter-words';
import { NO_FILTERS } from '@/components/attempts/use-attempt-filters';

test('filters read as they could be typed', () => {
  expect(filterWords({ ...NO_FILTERS, mark: ['unsafe_resume', 'bad_replay'], server: ['payments-mcp'], q: 'E_1042' })).toBe(
    'mark:unsafe_resume,bad_replay server:payments-mcp “E_1042”',
  );
  expect(filterWords(NO_FILTERS)).toBe('');
});

test('a member goes in once and comes out again, an empty list is no filter', () => {
  expect(toggled(null, 'a')).toEqual(['a']);
  expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['a'], 'a')).toBeNull();
});
