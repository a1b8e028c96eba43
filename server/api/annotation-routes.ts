import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryAnnotations } from '@/lib/query/annotations';
import type { Change } from '@/lib/store/change-log';
import { Annotations, Deploy } from '@/lib/wire/annotation-responses';
import { decodeBody } from '@/server/api/decode-body';
import { FILTER_PARAMS, InstantParam, readPeriodFilter } from '@/server/api/filter-params';
import { inProject, ProjectParam } from '@/server/api/project-filter';

const STEP_S = 60;
const STEP_S_MAX = 366 * 86_400;
const STEPS_MAX = 2_000;
/** A deploy that is told of before it happens is planned; clocks differ by less. */
const AHEAD_MAX_MS = 86_400_000;

const DeployBody = Type.Object(
  {
    server: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000]*$', description: 'the server that was deployed' }),
    version: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000]*$',
        description: 'what was deployed, text of 1 to 200 characters',
      }),
    ),
    at: Type.Optional(
      Type.Union([Type.Integer(), Type.String()], { description: 'RFC 3339 text or epoch milliseconds; now unless given' }),
    ),
  },
  { description: 'an object' },
);

interface AnnotationContext {
  readonly sql: Sql;
  readonly now: () => number;
  readonly settled: () => Promise<void>;
  readonly noteChange: (change: Change) => Promise<void>;
}

/** What happened beside the attempts, and the one thing of it that only a person or a pipeline can tell: deploys. */
export function annotationRoutes({ sql, now, settled, noteChange }: AnnotationContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/annotations',
      summary: 'Boots, deploys, changes of generation, evictions and incidents of a period; the last 24 hours unless given',
      query: Type.Object({
        project: ProjectParam,
        server: FILTER_PARAMS.server,
        from: InstantParam,
        to: InstantParam,
        step: Type.Optional(
          Type.Integer({ minimum: STEP_S, maximum: STEP_S_MAX, description: 'seconds over which counts are added up; 60 unless given' }),
        ),
      }),
      answers: { 200: Annotations },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const filter = await inProject(sql, reader, readPeriodFilter(reader, now()));
        const least = Math.max(STEP_S, Math.ceil((filter.toMs - filter.fromMs) / 1_000 / STEPS_MAX / STEP_S) * STEP_S);
        const stepS = reader.integer('step', least, STEP_S, STEP_S_MAX);
        if (stepS < least) throw invalidField('step', `must give at most ${STEPS_MAX} steps`);
        await settled();
        return ok(await queryAnnotations(sql, filter, stepS));
      },
    },
    {
      method: 'POST',
      path: '/api/v1/deploys',
      scope: 'operate',
      summary: 'Notes a deploy of a server, so that it stands beside the attempts; kept in the change log',
      body: { 'application/json': DeployBody },
      answers: { 201: Deploy },
      errors: ['malformed_json', 'invalid_field'],
      handle: async (call) => {
        const { server, version = null, at } = await decodeBody(call, DeployBody);
        const atMs = at === undefined ? now() : typeof at === 'number' ? at : Date.parse(at);
        if (!(atMs >= 0 && atMs <= now() + AHEAD_MAX_MS)) throw invalidField('at', 'must be an instant since 1970, at most a day ahead');
        await noteChange({ atMs, actor: call.caller.name, action: 'deploy.noted', subject: server, before: null, after: { version } });
        return { status: 201, body: { server, version, at: new Date(atMs).toISOString() } };
      },
    },
  ];
}
