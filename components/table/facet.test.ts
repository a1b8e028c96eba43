import { expect, test } from 'vitest';
import { toggled } from '@/components/table/facet';

test('a member goes in once and comes out again, an empty list is no filter', () => {
  expect(toggled(null, 'a')).toEqual(['a']);
  expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['a'], 'a')).toBeNull();
});
