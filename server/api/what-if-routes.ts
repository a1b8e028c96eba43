import Type from 'typebox';
import { invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import type { Answer, Call, Route } from '@/lib/http/route';
import { whileConnected } from '@/lib/http/stream-lines';
import type { ServerPeriod } from '@/lib/query/history-records';
import { BacktestResult, CompareResult, RetentionResult, WhatIfBody, WhatIfResult } from '@/lib/whatif/answer-schema';
import { FLOOR_RULES, literals } from '@/lib/wire/schema';
import { decodeBody } from '@/server/api/decode-body';
import { InstantParam } from '@/server/api/filter-params';
import { NDJSON, progressAnswer } from '@/server/api/job-answer';
import { ALIGNMENTS, type ComparedHistory } from '@/server/history/compare-of';
import type { HistoryJob } from '@/server/history/job';
import { periodOf } from '@/server/history/read-what-if';
import type { IncidentContext } from '@/server/incident-context';

const WHATIF_BYTES_MAX = 64 * 1024 * 1024;
const PERIOD_MS = 7 * 86_400_000;
const JOB_ERRORS = ['busy', 'job_timeout', 'invalid_field'] as const;

const Instant = Type.Union([Type.String(), Type.Integer()], { description: 'an instant: RFC 3339 text or epoch milliseconds' });
const BacktestBody = Type.Object(
  {
    server: Type.String({ minLength: 1, maxLength: 256, description: 'the name of a server' }),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    floor: Type.Optional(literals(FLOOR_RULES)),
  },
  { description: 'an object' },
);

/** Recorded attempts decided again: under a change, under enforcement, by size of the buffer; and histories side by side. */
export function whatIfRoutes(context: IncidentContext): Route[] {
  return [whatIfRoute(context), ...serverRoutes(context), compareRoute(context)];
}

function whatIfRoute({ pool }: IncidentContext): Route {
  return {
    method: 'POST',
    path: '/api/v1/whatif',
    scope: 'read',
    summary: `Recorded attempts decided again under a change; with accept: ${NDJSON} progress comes line by line, and closing the connection calls it off`,
    body: { 'application/json': WhatIfBody },
    bodyBytesMax: WHATIF_BYTES_MAX,
    answers: { 200: WhatIfResult },
    errors: ['malformed_json', ...JOB_ERRORS],
    handle: async (call) => {
      const { text } = await call.body();
      return progressAnswer(call, async (tell, signal) => String(await pool.run({ type: 'whatif', text }, { signal, onProgress: tell })));
    },
  };
}

function serverRoutes({ pool, now }: IncidentContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/servers/{name}/retention-advice',
      summary: 'Refusals avoided against events kept, from what the clients of a server needed; the last seven days unless given',
      query: Type.Object({ from: InstantParam, to: InstantParam }),
      answers: { 200: RetentionResult },
      errors: [...JOB_ERRORS],
      handle: (call) => {
        const reader = new QueryReader(call.query);
        const period = periodFor(call.params['name'] ?? '', reader.instant('from'), reader.instant('to'), now());
        return jobAnswer(pool, call, { type: 'retention', period });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/backtest',
      scope: 'read',
      summary: 'What enforcement would have refused of what a server did; the last seven days unless given',
      body: { 'application/json': BacktestBody },
      answers: { 200: BacktestResult },
      errors: ['malformed_json', ...JOB_ERRORS],
      handle: async (call) => {
        const { server, from, to, floor } = await decodeBody(call, BacktestBody);
        const toMs = now() + 1;
        const { fromMs, toMs: end } = periodOf({ from: from ?? (to === undefined ? toMs - PERIOD_MS : from), to: to ?? toMs });
        return jobAnswer(pool, call, { type: 'backtest', period: { server, fromMs, toMs: end }, floor: floor ?? null });
      },
    },
  ];
}

function periodFor(server: string, from: number | null, to: number | null, now: number): ServerPeriod {
  const toMs = to ?? now + 1;
  const fromMs = from ?? toMs - PERIOD_MS;
  if (fromMs >= toMs) throw invalidField('from', 'must be before to');
  return { server, fromMs, toMs };
}

function compareRoute({ pool }: IncidentContext): Route {
  const Side = Type.String({ description: 'a session reference of 32 hexadecimal digits, or the id of an incident' });
  const Place = Type.Optional(Type.Integer({ minimum: 0, description: 'the record that is aligned, whatever align says' }));
  return {
    method: 'GET',
    path: '/api/v1/compare',
    summary: 'Two sessions or incidents step by step from an aligned record on, and where they part first',
    query: Type.Object({
      left: Side,
      right: Side,
      align: Type.Optional(literals(ALIGNMENTS)),
      left_at: Place,
      right_at: Place,
    }),
    answers: { 200: CompareResult },
    errors: ['not_found', ...JOB_ERRORS],
    handle: (call) => {
      const reader = new QueryReader(call.query);
      const align = reader.oneOfEach('align', ALIGNMENTS)?.[0] ?? 'start';
      return jobAnswer(pool, call, { type: 'compare', left: sideOf(reader, 'left'), right: sideOf(reader, 'right'), align });
    },
  };
}

function sideOf(reader: QueryReader, name: 'left' | 'right'): ComparedHistory {
  const id = (reader.text(name) ?? '').toLowerCase();
  const at = reader.integer(`${name}_at`, -1, 0, 1_000_000);
  const place = at < 0 ? null : at;
  if (/^[0-9a-f]{32}$/.test(id)) return { kind: 'session', id, at: place };
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return { kind: 'incident', id, at: place };
  throw invalidField(name, 'must be a session reference or the id of an incident');
}

/** The JSON text that a job answers with; the job ends when its caller goes away. */
async function jobAnswer(pool: IncidentContext['pool'], { request }: Call, job: HistoryJob): Promise<Answer> {
  const text = await whileConnected(request, (signal) => pool.run(job, { signal }));
  return { status: 200, body: text, mediaType: 'application/json' };
}
