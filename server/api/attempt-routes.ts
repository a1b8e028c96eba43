import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryAttempt, queryAttempts } from '@/lib/query/attempts';
import { AttemptItem, AttemptPage } from '@/lib/wire/responses';
import { FILTER_PARAMS, readFilter, readPageCursor } from '@/server/api/filter-params';
import { inProject } from '@/server/api/project-filter';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function attemptRoutes(sql: Sql): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/attempts',
      summary: 'Resume attempts with their judgement, newest first',
      query: Type.Object({
        ...FILTER_PARAMS,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
        cursor: Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' })),
      }),
      answers: { 200: AttemptPage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const after = readPageCursor(reader);
        const limit = reader.integer('limit', LIMIT_DEFAULT, 1, LIMIT_MAX);
        return ok(await queryAttempts(sql, await inProject(sql, reader, readFilter(reader)), limit, after));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/attempts/{id}',
      summary: 'One resume attempt with its judgement',
      answers: { 200: AttemptItem },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        const item = UUID.test(id) ? await queryAttempt(sql, id) : null;
        if (item === null) throw new HttpError('not_found', 'there is no attempt of this id');
        return ok(item);
      },
    },
  ];
}
