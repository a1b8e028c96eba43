import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { SessionFindings } from '@/lib/audit/answer-schema';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { type Answer, ok, type Route } from '@/lib/http/route';
import { querySessionFacets, querySessions, type SessionFilter } from '@/lib/query/session-list';
import { querySession } from '@/lib/query/sessions';
import { SessionDetail, SessionFacets, SessionPage } from '@/lib/wire/responses';
import { Timeline } from '@/lib/wire/timeline-responses';
import { FILTER_PARAMS, InstantParam, readPageCursor } from '@/server/api/filter-params';
import { inProject, ProjectParam } from '@/server/api/project-filter';
import type { HistoryPool } from '@/server/history/history-pool';
import type { LinesPage } from '@/server/history/session-desk';

const SESSION_REF = /^[0-9a-f]{32}$/;
const SESSIONS_DEFAULT = 100;
const SESSIONS_MAX = 1_000;
const STEPS_DEFAULT = 1_000;
const STEPS_MAX = 10_000;
const RECORDS_MAX = 50_000;

const SESSION_PARAMS = {
  project: ProjectParam,
  server: FILTER_PARAMS.server,
  server_not: FILTER_PARAMS.server_not,
  unsafe: Type.Optional(Type.String({ description: 'true: only sessions with an unsafe resume; false: only those without' })),
  from: InstantParam,
  to: InstantParam,
};

/** Sessions. Work over all records of one is done by the threads of `pool`: a long one would hold up the intake. */
export function sessionRoutes(sql: Sql, pool: Pick<HistoryPool, 'run'>, settled: () => Promise<void>): Route[] {
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
        const filter = await inProject(sql, reader, readSessionFilter(reader));
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
        const reader = new QueryReader(query);
        const filter = await inProject(sql, reader, readSessionFilter(reader));
        await settled();
        return ok(await querySessionFacets(sql, filter));
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
      errors: ['not_found', 'invalid_field', 'busy', 'job_timeout'],
      handle: async ({ params, query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', STEPS_DEFAULT, 1, STEPS_MAX);
        const first = readStep(reader);
        const session = readRef(params);
        return jsonText(await pool.run({ type: 'session_timeline', session, first, limit }));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/sessions/{ref}/records',
      summary:
        'The records of one session in the order they arrived, one a line, for readers that fold them themselves; the header tidemark-next is the cursor of the next page',
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RECORDS_MAX, default: STEPS_DEFAULT })),
        cursor: Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' })),
      }),
      answers: { 200: 'application/x-ndjson' },
      errors: ['not_found', 'invalid_field', 'busy', 'job_timeout'],
      handle: async ({ params, query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', STEPS_DEFAULT, 1, RECORDS_MAX);
        const first = readStep(reader);
        const page = (await pool.run({ type: 'session_records', session: readRef(params), first, limit })) as LinesPage;
        const headers = page.next === null ? {} : { 'tidemark-next': `step-${page.next}` };
        return { status: 200, body: page.text, mediaType: 'application/x-ndjson', headers };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/sessions/{ref}/findings',
      summary: 'What the records of one session prove; indices are those of its timeline',
      answers: { 200: SessionFindings },
      errors: ['not_found', 'busy', 'job_timeout'],
      handle: async ({ params }) => {
        return jsonText(await pool.run({ type: 'session_findings', session: readRef(params) }));
      },
    },
  ];
}

/** Text of a worker that is JSON already. */
const jsonText = (body: unknown): Answer => ({ status: 200, body, mediaType: 'application/json' });

function readSessionFilter(reader: QueryReader): SessionFilter {
  return {
    servers: reader.list('server'),
    not: { servers: reader.list('server_not') },
    isUnsafe: readUnsafe(reader),
    fromMs: reader.instant('from'),
    toMs: reader.instant('to'),
  };
}

function readUnsafe(reader: QueryReader): boolean | null {
  const asked = reader.oneOfEach('unsafe', ['true', 'false']) ?? [];
  return new Set(asked).size === 1 ? asked.includes('true') : null;
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
