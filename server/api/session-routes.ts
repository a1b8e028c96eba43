import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { SessionFindings } from '@/lib/audit/answer-schema';
import { auditSession } from '@/lib/audit/audit-session';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { querySessionFacets, querySessions, type SessionFilter } from '@/lib/query/session-list';
import { querySessionRecords, SESSION_RECORDS_MAX } from '@/lib/query/session-records';
import { querySession } from '@/lib/query/sessions';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { SessionDetail, SessionFacets, SessionPage, Timeline } from '@/lib/wire/responses';
import { FILTER_PARAMS, InstantParam, readPageCursor } from '@/server/api/filter-params';

const SESSION_REF = /^[0-9a-f]{32}$/;
const SESSIONS_DEFAULT = 100;
const SESSIONS_MAX = 1_000;
const STEPS_DEFAULT = 1_000;
const STEPS_MAX = 10_000;

const SESSION_PARAMS = {
  server: FILTER_PARAMS.server,
  unsafe: Type.Optional(Type.String({ description: 'true: only sessions with an unsafe resume' })),
  from: InstantParam,
  to: InstantParam,
};

export function sessionRoutes(sql: Sql, settled: () => Promise<void>): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/sessions',
      summary: 'Sessions, the last heard of first',
      query: Type.Object({
        ...SESSION_PARAMS,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: SESSIONS_MAX, default: SESSIONS_DEFAULT })),
        cursor: Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' })),
      }),
      answers: { 200: SessionPage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', SESSIONS_DEFAULT, 1, SESSIONS_MAX);
        const filter = readSessionFilter(reader);
        const after = readPageCursor(reader);
        await settled();
        return ok(await querySessions(sql, filter, limit, after));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/sessions/facets',
      summary: 'How many sessions there are, how many had an unsafe resume, and on which servers',
      query: Type.Object(SESSION_PARAMS),
      answers: { 200: SessionFacets },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        await settled();
        return ok(await querySessionFacets(sql, readSessionFilter(new QueryReader(query))));
      },
    },
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
        const steps = foldTimeline(records, auditSession(records)).slice(first, first + limit);
        return ok({ steps, next: first + limit < records.length ? `step-${first + limit}` : null });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/sessions/{ref}/findings',
      summary: 'What the records of one session prove; indices are those of its timeline',
      answers: { 200: SessionFindings },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const records = await querySessionRecords(sql, readRef(params));
        if (records.length === 0) throw noSession();
        return ok({ items: [...auditSession(records)], records: records.length, is_whole: records.length < SESSION_RECORDS_MAX });
      },
    },
  ];
}

function readSessionFilter(reader: QueryReader): SessionFilter {
  return {
    servers: reader.list('server'),
    isUnsafe: reader.oneOfEach('unsafe', ['true', 'false'])?.includes('true') ?? false,
    fromMs: reader.instant('from'),
    toMs: reader.instant('to'),
  };
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
