import { expect, test } from 'vitest';
import { shortText } from '@/components/format/short-text';

test.each([
  ['7f3ac21d', 12, '7f3ac21d'],
  ['7f3a00000000c21d', 9, '7f3a…c21d'],
  ['9007199254740993', 10, '90071…0993'],
  ['AbCdEfGh', 5, 'Ab…Gh'],
])('%s within %i characters reads %s', (text, longest, short) => {
  expect(shortText(text, longest)).toBe(short);
  expect(short.length).toBeLessThanOrEqual(longest);
});
