import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { querySessionRecords } from '@/lib/query/session-records';
import { querySession } from '@/lib/query/sessions';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { SessionDetail, Timeline } from '@/lib/wire/responses';

const SESSION_REF = /^[0-9a-f]{32}$/;
const STEPS_DEFAULT = 1_000;
const STEPS_MAX = 10_000;

export function sessionRoutes(sql: Sql): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/sessions/{ref}',
      summary: 'What is known of one session',
      answers: { 200: SessionDetail },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const ref = readRef(params);
        const detail = await querySession(sql, ref);
        if (detail === null) throw noSession();
        return ok(detail);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/sessions/{ref}/timeline',
      summary: 'The records of one session in the order they arrived, each with the state of its log after it',
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: STEPS_MAX, default: STEPS_DEFAULT })),
        cursor: Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' })),
      }),
      answers: { 200: Timeline },
      errors: ['not_found', 'invalid_field'],
      handle: async ({ params, query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', STEPS_DEFAULT, 1, STEPS_MAX);
        const first = readStep(reader);
        const records = await querySessionRecords(sql, readRef(params));
        if (records.length === 0) throw noSession();
        const steps = foldTimeline(records).slice(first, first + limit);
        return ok({ steps, next: first + limit < records.length ? `step-${first + limit}` : null });
      },
    },
  ];
}

function readRef(params: Readonly<Record<string, string>>): string {
  const ref = params['ref'] ?? '';
  if (!SESSION_REF.test(ref)) throw noSession();
  return ref;
}

function readStep(reader: QueryReader): number {
  const cursor = reader.text('cursor');
  const step = cursor === null ? '0' : /^step-(\d{1,9})$/.exec(cursor)?.[1];
  if (step === undefined) throw invalidField('cursor', 'must be the text that the page before gave as next');
  return Number(step);
}

function noSession(): HttpError {
  return new HttpError('not_found', 'no record names this session');
}
