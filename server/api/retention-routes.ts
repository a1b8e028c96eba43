import Type from 'typebox';
import type { Transactions, Tx } from '@/db/transactions';
import { RETENTION_DAYS_MAX, type Retention } from '@/lib/config/retention';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { planRetention, queryRetentionStanding } from '@/lib/query/retention-plan';
import { RetentionPlanBody, RetentionSettings } from '@/lib/wire/retention-responses';
import { decodeBody } from '@/server/api/decode-body';
import type { RetentionService } from '@/server/retention';

const UNDEFINED_TABLE = '42P01';
const TRIES_MAX = 5;
const Days = Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX, description: `days from 1 to ${RETENTION_DAYS_MAX}` });
const RetentionInput = Type.Object(
  {
    records_days: Days,
    rollups_days: Days,
    confirm: Type.Optional(Type.Boolean({ description: 'true: what the plan counts may go' })),
  },
  { description: 'an object with records_days and rollups_days' },
);

/** How long rows are kept, what a change of it would remove, and the change. */
export function retentionRoutes(transactions: Transactions, service: RetentionService, now: () => number): Route[] {
  const plan = async (retention: Retention) =>
    planBody(retention, await overPartitions(transactions, (tx) => planRetention(tx, retention, now())));
  return [
    {
      method: 'GET',
      path: '/api/v1/settings/retention',
      summary: 'How long rows are kept, who said so, and how far back they go now',
      answers: { 200: RetentionSettings },
      handle: async () => ok(await settingsBody(transactions, service)),
    },
    {
      method: 'GET',
      path: '/api/v1/settings/retention/plan',
      summary: 'What a retention would remove now, counted; nothing is changed',
      query: Type.Object({ records_days: Days, rollups_days: Days }),
      answers: { 200: RetentionPlanBody },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const { retention } = service.current();
        const recordsDays = reader.integer('records_days', retention.recordsDays, 1, RETENTION_DAYS_MAX);
        const rollupsDays = reader.integer('rollups_days', Math.max(recordsDays, retention.rollupsDays), 1, RETENTION_DAYS_MAX);
        return ok(await plan(checked({ recordsDays, rollupsDays })));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/settings/retention',
      summary: 'Changes how long rows are kept; what would remove rows needs "confirm": true',
      scope: 'admin',
      body: { 'application/json': RetentionInput },
      answers: { 200: RetentionPlanBody },
      errors: ['malformed_json', 'invalid_field', 'provisioned', 'confirmation_needed'],
      handle: async (call) => {
        const input = await decodeBody(call, RetentionInput);
        const retention = checked({ recordsDays: input.records_days, rollupsDays: input.rollups_days });
        if (service.current().origin === 'config') throw new HttpError('provisioned', 'retention is set in the configuration file');
        const removes = await plan(retention);
        if (input.confirm !== true && removes.attempts + removes.records + removes.rollup_rows > 0) throw unconfirmed(removes);
        await service.change(retention, call.caller.name);
        return ok(removes);
      },
    },
  ];
}

function checked(retention: Retention): Retention {
  if (retention.rollupsDays >= retention.recordsDays) return retention;
  throw invalidField('rollups_days', 'must not be fewer than records_days');
}

function unconfirmed({ attempts, records, rollup_rows, is_estimate, days }: Type.Static<typeof RetentionPlanBody>): HttpError {
  const what = `${attempts} attempts, ${records} other records and ${rollup_rows} rows of rollups`;
  return new HttpError(
    'confirmation_needed',
    `this would remove ${is_estimate ? 'about ' : ''}${what}${days.length === 0 ? '' : `, of ${days.length} days up to ${days.at(-1)}`}`,
  );
}

/** Reads day by day; a day that is dropped between its listing and its reading is listed anew. */
async function overPartitions<T>(transactions: Transactions, read: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactions.run(read);
    } catch (cause) {
      const isGone = cause instanceof Error && (cause as { code?: unknown }).code === UNDEFINED_TABLE;
      if (!isGone || tries === TRIES_MAX) throw cause;
    }
  }
}

async function settingsBody(transactions: Transactions, { current }: RetentionService): Promise<Type.Static<typeof RetentionSettings>> {
  const { retention, origin } = current();
  const { oldestDay, days, bytes } = await overPartitions(transactions, queryRetentionStanding);
  return {
    records_days: retention.recordsDays,
    rollups_days: retention.rollupsDays,
    origin,
    oldest_day: oldestDay,
    days,
    bytes,
  };
}

function planBody(
  { recordsDays, rollupsDays }: Retention,
  { attempts, records, rollupRows, isEstimate, bytes, days }: Awaited<ReturnType<typeof planRetention>>,
): Type.Static<typeof RetentionPlanBody> {
  return {
    records_days: recordsDays,
    rollups_days: rollupsDays,
    attempts,
    records,
    rollup_rows: rollupRows,
    is_estimate: isEstimate,
    bytes,
    days: [...days],
  };
}
