import { expect, test } from 'vitest';
import { hrefOfView, readViews, searchOfView, withView } from '@/components/table/saved-views';

test('a view keeps filters and columns, not the time, the project nor the row beside the list', () => {
  expect(searchOfView(new URLSearchParams('range=1h&project=p&server=a&peek=x&cols=at&q='))).toBe('cols=at&server=a');
  expect(searchOfView(new URLSearchParams('b=1&a=2'))).toBe(searchOfView(new URLSearchParams('a=2&b=1')));
});

test('opening a view goes on looking at the same time and project', () => {
  const view = { name: 'holes', search: 'reason=hole' };
  expect(hrefOfView('/attempts', view, new URLSearchParams('range=1h&server=a'))).toBe('/attempts?reason=hole&range=1h');
  expect(hrefOfView('/attempts', { name: 'all', search: '' }, new URLSearchParams('server=a'))).toBe('/attempts');
  expect(hrefOfView('/attempts', view, new URLSearchParams('project=p+q'))).toBe('/attempts?reason=hole&project=p%20q');
});

test.each([
  ['no JSON', '{', null],
  ['another value', '{"a":1}', null],
  ['views among other things', '[{"name":"a","search":"x=1"},{"name":1},null]', [{ name: 'a', search: 'x=1' }]],
])('%s is read safely', (_name, text, want) => {
  expect(readViews(text)).toEqual(want);
});

test('a view of the same name is replaced, and there are never more than 30', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ name: `v${index}`, search: '' }));
  const views = many.reduce((all, view) => withView(all, view), [] as ReturnType<typeof withView>);
  expect(views).toHaveLength(30);
  expect(withView(views, { name: 'v39', search: 'a=1' }).filter(({ name }) => name === 'v39')).toEqual([{ name: 'v39', search: 'a=1' }]);
});
