import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryChanges } from '@/lib/query/changes';
import { ChangePage } from '@/lib/wire/change-responses';

const LIMIT = 100;
const LIMIT_MAX = 1_000;

export function changeRoutes(sql: Sql): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/changes',
      summary: 'Who changed what of this installation, and from what to what; newest first',
      query: Type.Object({
        action: Type.Optional(Type.String({ description: 'an action such as key.created, or its first word' })),
        actor: Type.Optional(Type.String()),
        subject: Type.Optional(Type.String()),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX })),
        cursor: Type.Optional(Type.String({ description: 'next of the page before' })),
      }),
      answers: { 200: ChangePage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const filter = { action: reader.text('action'), actor: reader.text('actor'), subject: reader.text('subject') };
        return ok(await queryChanges(sql, filter, reader.integer('limit', LIMIT, 1, LIMIT_MAX), cursorOf(reader.text('cursor'))));
      },
    },
  ];
}

function cursorOf(text: string | null): bigint | null {
  if (text === null) return null;
  if (!/^\d{1,18}$/.test(text)) throw invalidField('cursor', 'must be the next of another page');
  return BigInt(text);
}
