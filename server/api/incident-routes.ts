import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { SEVERITIES } from '@/lib/audit/finding';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { type Answer, ok, type Route } from '@/lib/http/route';
import { INCIDENT_STATES, IncidentDetail, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import { queryPinnedLines } from '@/lib/query/incident-records';
import { queryIncident, queryIncidentLog, queryIncidents } from '@/lib/query/incidents';
import { type IncidentToImport, importIncident } from '@/lib/store/incident-import';
import { Timeline } from '@/lib/wire/timeline-responses';
import { FILTER_PARAMS, readPageCursor } from '@/server/api/filter-params';
import { inProject, ProjectParam } from '@/server/api/project-filter';
import type { HistoryPool } from '@/server/history/history-pool';
import type { IncidentContext } from '@/server/incident-context';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SESSION_REF = /^[0-9a-f]{32}$/;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000;
export const STEPS_DEFAULT = 1_000;
export const STEPS_MAX = 10_000;
const RECORDS_DEFAULT = 10_000;
const RECORDS_MAX = 50_000;
/** A bundle of the most records that one may hold. */
const BUNDLE_BYTES_MAX = 128 * 1024 * 1024;

const limitParam = (max: number, fallback: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: fallback }));
const CursorParam = Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' }));
/** Query of a list of steps or records, page by page. */
export const stepParams = (max: number, fallback: number) => Type.Object({ limit: limitParam(max, fallback), cursor: CursorParam });

/** Reading incidents: lists, one, its log, its timeline and records, its bundle; and taking bundles in. */
export function incidentRoutes(context: IncidentContext): Route[] {
  return [...listRoutes(context.sql), ...historyRoutes(context), importRoute(context)];
}

function listRoutes(sql: Sql): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/incidents',
      summary: 'Incidents, the last opened first',
      query: Type.Object({
        state: Type.Optional(Type.String({ description: `one or more of ${INCIDENT_STATES.join(', ')}, separated by commas` })),
        severity: Type.Optional(Type.String({ description: `one or more of ${SEVERITIES.join(', ')}, separated by commas` })),
        project: ProjectParam,
        server: FILTER_PARAMS.server,
        session: FILTER_PARAMS.session,
        limit: limitParam(PAGE_MAX, PAGE_DEFAULT),
        cursor: CursorParam,
      }),
      answers: { 200: IncidentPage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const session = reader.text('session');
        if (session !== null && !SESSION_REF.test(session))
          throw invalidField('session', 'must be a session reference of 32 hexadecimal digits');
        const filter = await inProject(sql, reader, {
          states: reader.oneOfEach('state', INCIDENT_STATES),
          severities: reader.oneOfEach('severity', SEVERITIES),
          servers: reader.list('server'),
          session,
        });
        return ok(await queryIncidents(sql, filter, reader.integer('limit', PAGE_DEFAULT, 1, PAGE_MAX), readPageCursor(reader)));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}',
      summary: 'One incident with its sessions, findings and consequences',
      answers: { 200: IncidentDetail },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const incident = await queryIncident(sql, readIncidentId(params));
        if (incident === null) throw noIncident();
        return ok(incident);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/log',
      summary: 'What happened to an incident and who did what, oldest first',
      answers: { 200: IncidentLog },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const log = await queryIncidentLog(sql, readIncidentId(params));
        // The first entry is written together with the incident.
        if (log.items.length === 0) throw noIncident();
        return ok(log);
      },
    },
  ];
}

function historyRoutes({ sql, pool }: IncidentContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/timeline',
      summary: 'The pinned records of an incident in order, each with the state of its log after it',
      query: stepParams(STEPS_MAX, STEPS_DEFAULT),
      answers: { 200: Timeline },
      errors: ['not_found', 'invalid_field', 'busy', 'job_timeout'],
      handle: async ({ params, query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', STEPS_DEFAULT, 1, STEPS_MAX);
        return jsonText(await pool.run({ type: 'timeline', incident: readIncidentId(params), first: readStep(reader), limit }));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/records',
      summary:
        'The pinned records of an incident in order, one a line, for readers that fold them themselves; the header tidemark-next is the cursor of the next page',
      query: stepParams(RECORDS_MAX, RECORDS_DEFAULT),
      answers: { 200: 'application/x-ndjson' },
      errors: ['not_found', 'invalid_field'],
      handle: async ({ params, query }) => {
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', RECORDS_DEFAULT, 1, RECORDS_MAX);
        const first = readStep(reader);
        const id = readIncidentId(params);
        const records = await queryPinnedLines(sql, id, first, limit + 1);
        if (records.length === 0 && (await queryIncident(sql, id)) === null) throw noIncident();
        const text = records.slice(0, limit).map((record) => `${record}\n`);
        const headers = records.length > limit ? { 'tidemark-next': `step-${first + limit}` } : {};
        return { status: 200, body: text.join(''), mediaType: 'application/x-ndjson', headers };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/bundle',
      summary: 'The incident with its evidence as one file; the same incident gives the same bytes',
      answers: { 200: Type.Object({}, { additionalProperties: true, description: 'a bundle, see docs/bundle.md' }) },
      errors: ['not_found', 'busy', 'job_timeout'],
      handle: async ({ params }) => {
        const id = readIncidentId(params);
        const answer = jsonText(await pool.run({ type: 'bundle', incident: id }));
        return { ...answer, headers: { 'content-disposition': `attachment; filename="incident-${id}.json"` } };
      },
    },
    takeAwayRoute('report', 'The incident as one HTML file that needs nothing else', 'text/html; charset=utf-8', 'html', pool),
    takeAwayRoute(
      'test',
      'A Vitest file that plays the incident and fails until its resumes are answered by the rules',
      'text/javascript; charset=utf-8',
      'test.mjs',
      pool,
    ),
  ];
}

function takeAwayRoute(type: 'report' | 'test', summary: string, mediaType: string, ending: string, pool: HistoryPool): Route {
  return {
    method: 'GET',
    path: `/api/v1/incidents/{id}/${type}`,
    summary,
    answers: { 200: mediaType },
    errors: ['not_found', 'busy', 'job_timeout'],
    handle: async ({ params }) => {
      const id = readIncidentId(params);
      const body = await pool.run({ type, incident: id });
      const headers = {
        'content-disposition': `${type === 'report' ? 'inline' : 'attachment'}; filename="incident-${id}.${ending}"`,
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      };
      return { status: 200, body, mediaType, headers };
    },
  };
}

function importRoute({ transactions, pool, now }: IncidentContext): Route {
  return {
    method: 'POST',
    path: '/api/v1/incidents/import',
    scope: 'operate',
    summary: 'Makes an incident of a bundle, or of a bare history with a title; all of it or nothing',
    body: {
      'application/json': Type.Object(
        { records: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })) },
        { additionalProperties: true, description: 'a bundle, or {title, records}' },
      ),
    },
    bodyBytesMax: BUNDLE_BYTES_MAX,
    answers: { 201: Type.Object({ id: Type.String() }) },
    errors: [
      'bundle_truncated',
      'bundle_malformed',
      'bundle_version_unsupported',
      'bundle_edited',
      'bundle_invalid',
      'bundle_too_deep',
      'bundle_too_large',
      'busy',
      'job_timeout',
    ],
    handle: async (call) => {
      const { text } = await call.body();
      const read = (await pool.run({ type: 'import', text })) as Omit<IncidentToImport, 'id' | 'importedAt'>;
      const id = randomUUID();
      await importIncident(transactions, { ...read, id, importedAt: now() }, call.caller.name);
      return { status: 201, body: { id } };
    },
  };
}

/** The id in the path. @throws HttpError `not_found` for a text that is none. */
export function readIncidentId(params: Readonly<Record<string, string>>): string {
  const id = (params['id'] ?? '').toLowerCase();
  if (!UUID.test(id)) throw noIncident();
  return id;
}

export const noIncident = (): HttpError => new HttpError('not_found', 'there is no such incident');

/** Text of a worker that is JSON already. */
function jsonText(text: unknown): Answer {
  return { status: 200, body: text, mediaType: 'application/json' };
}

/** The place that a cursor of a timeline means. */
export function readStep(reader: QueryReader): number {
  const cursor = reader.text('cursor');
  const step = cursor === null ? '0' : /^step-(\d{1,9})$/.exec(cursor)?.[1];
  if (step === undefined) throw invalidField('cursor', 'must be the text that the page before gave as next');
  return Number(step);
}
