import { expect, test } from 'vitest';
import { ATTEMPT_LANGUAGE, filtersOfQuery, queryOfFilters } from '@/components/attempts/attempt-query';
import { filterParams, NO_FILTERS } from '@/components/attempts/use-attempt-filters';
import { boundsText, readBounds } from '@/components/query/count-bounds';
import { parseQuery, writeQuery } from '@/components/query/query-language';

const filters = {
  ...NO_FILTERS,
  mark: ['unsafe_resume' as const, 'bad_replay' as const],
  server: ['payments-mcp'],
  gap: { min: 11n, max: null },
  q: 'E_1042',
};

test('filters read as they are typed, and what is typed becomes the same filters', () => {
  const text = writeQuery(queryOfFilters(filters), ATTEMPT_LANGUAGE);
  expect(text).toBe('mark:unsafe_resume,bad_replay server:payments-mcp gap>10 E_1042');
  const parsed = parseQuery(text, ATTEMPT_LANGUAGE);
  expect(parsed.ok && filtersOfQuery(parsed.value)).toEqual(filters);
  expect(writeQuery(queryOfFilters(NO_FILTERS), ATTEMPT_LANGUAGE)).toBe('');
});

test('what is left out comes back as it was typed', () => {
  const text = '-mark:fresh -reason:hole,below_floor -server:ci-mcp';
  const parsed = parseQuery(text, ATTEMPT_LANGUAGE);
  const left = parsed.ok ? filtersOfQuery(parsed.value) : NO_FILTERS;
  expect(left).toEqual({ ...NO_FILTERS, mark_not: ['fresh'], reason_not: ['below_floor', 'hole'], server_not: ['ci-mcp'] });
  expect(writeQuery(queryOfFilters(left), ATTEMPT_LANGUAGE)).toBe('-mark:fresh -reason:below_floor,hole -server:ci-mcp');
  expect(filterParams(left)).toMatchObject({ mark_not: 'fresh', server_not: 'ci-mcp' });
});

test.each([
  ['unavailable:true', 'true', 'unavailable:true'],
  ['-unavailable:true', 'false', 'unavailable:false'],
  ['unavailable!=false', 'true', 'unavailable:true'],
  ['unavailable:true -unavailable:true', 'true', 'unavailable:true'],
  ['unavailable:true,false', null, ''],
  ['-unavailable:true,false', null, ''],
])('%s asks for %s, and reads back as %j', (text, unavailable, written) => {
  const parsed = parseQuery(text, ATTEMPT_LANGUAGE);
  const asked = parsed.ok ? filtersOfQuery(parsed.value) : null;
  expect(asked).toEqual({ ...NO_FILTERS, unavailable });
  expect(asked === null ? null : writeQuery(queryOfFilters(asked), ATTEMPT_LANGUAGE)).toBe(written);
  expect(asked === null ? null : filterParams(asked)['unavailable']).toBe(unavailable);
});

test('the API is asked for bounds by name', () => {
  expect(filterParams(filters)).toMatchObject({ mark: 'unsafe_resume,bad_replay', gap_min: '11', gap_max: null, q: 'E_1042' });
});

test.each(['11..', '..4', '10..20'])('the bounds %s come back from the URL', (text) => {
  const bounds = readBounds(text);
  expect(bounds === null ? null : boundsText(bounds)).toBe(text);
});

test.each(['..', '', 'a..b', '1..2..3', '-1..2'])('%j are no bounds', (text) => {
  expect(readBounds(text)).toBeNull();
});
