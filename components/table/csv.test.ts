import { expect, test } from 'vitest';
import { csvLines } from '@/components/table/csv';

test.each([
  [['a', 1, null, undefined], 'a,1,,\r\n'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
  [['=1+1', '+cmd', '@x', '\tx'], "'=1+1,'+cmd,'@x,'\tx\r\n"],
  [['-5', '-5.25', '-x', -5], "-5,-5.25,'-x,-5\r\n"],
  [['9007199254740993'], '9007199254740993\r\n'],
])('%j becomes one line', (row, line) => {
  expect(csvLines([row])).toBe(line);
});
