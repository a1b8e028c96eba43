import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { FindingDetail, FindingFacets, FindingPage } from '@/lib/audit/answer-schema';
import { BLAMES, FINDING_GROUPS, SEVERITIES } from '@/lib/audit/finding';
import { HttpError } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import type { FindingFilter } from '@/lib/query/finding-filter';
import { queryFinding, queryFindingFacets, queryFindings } from '@/lib/query/findings';
import { FILTER_PARAMS, InstantParam, listOf, notListOf, readPageCursor, readSessionRef } from '@/server/api/filter-params';
import { inProject, ProjectParam } from '@/server/api/project-filter';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CODES = Object.values(FINDING_GROUPS).flat();

const FINDING_PARAMS = {
  project: ProjectParam,
  code: listOf(CODES),
  severity: listOf(SEVERITIES),
  blame: listOf(BLAMES),
  server: FILTER_PARAMS.server,
  code_not: notListOf(CODES),
  severity_not: notListOf(SEVERITIES),
  blame_not: notListOf(BLAMES),
  server_not: FILTER_PARAMS.server_not,
  session: FILTER_PARAMS.session,
  from: InstantParam,
  to: InstantParam,
};

/** What the continuous audit of the stored records proved. */
export function findingRoutes(sql: Sql): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/findings',
      summary: 'What the stored records prove, newest first',
      query: Type.Object({
        ...FINDING_PARAMS,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
        cursor: Type.Optional(Type.String({ description: 'the opaque text that the page before gave as next' })),
      }),
      answers: { 200: FindingPage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const after = readPageCursor(reader);
        const limit = reader.integer('limit', LIMIT_DEFAULT, 1, LIMIT_MAX);
        return ok(await queryFindings(sql, await inProject(sql, reader, readFindingFilter(reader)), limit, after));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/findings/facets',
      summary: 'How many findings there are, by code, severity, blame and server',
      query: Type.Object(FINDING_PARAMS),
      answers: { 200: FindingFacets },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        return ok(await queryFindingFacets(sql, await inProject(sql, reader, readFindingFilter(reader))));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/findings/{id}',
      summary: 'One finding with its proof and the records it cites',
      answers: { 200: FindingDetail },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        const detail = UUID.test(id) ? await queryFinding(sql, id) : null;
        if (detail === null) throw new HttpError('not_found', 'there is no finding of this id');
        return ok(detail);
      },
    },
  ];
}

function readFindingFilter(reader: QueryReader): FindingFilter {
  return {
    codes: reader.oneOfEach('code', CODES),
    severities: reader.oneOfEach('severity', SEVERITIES),
    blames: reader.oneOfEach('blame', BLAMES),
    servers: reader.list('server'),
    not: {
      codes: reader.oneOfEach('code_not', CODES),
      severities: reader.oneOfEach('severity_not', SEVERITIES),
      blames: reader.oneOfEach('blame_not', BLAMES),
      servers: reader.list('server_not'),
    },
    session: readSessionRef(reader),
    fromMs: reader.instant('from'),
    toMs: reader.instant('to'),
  };
}
