import { expect, test } from 'vitest';
import { type AttemptFilters, NO_FILTERS } from '@/components/attempts/use-attempt-filters';
import { findingParams } from './finding-params';

test.each<{ filters: Partial<AttemptFilters>; params: object | null }>([
  { filters: {}, params: { server: undefined, server_not: undefined, session: null } },
  { filters: { server: ['a', 'b'] }, params: { server: 'a,b', server_not: undefined, session: null } },
  { filters: { server_not: ['c'], session: 's' }, params: { server: undefined, server_not: 'c', session: 's' } },
  { filters: { server: ['a'], mark: ['refused'] }, params: null },
  { filters: { mark: [] }, params: { server: undefined, server_not: undefined, session: null } },
  { filters: { reason_not: ['hole'] }, params: null },
  { filters: { gap: { min: 10n, max: null } }, params: null },
  { filters: { unavailable: 'true' }, params: null },
  { filters: { q: 'text' }, params: null },
])('of attempts filtered by $filters, findings are asked for with $params', ({ filters, params }) => {
  expect(findingParams({ ...NO_FILTERS, ...filters })).toEqual(params);
});
