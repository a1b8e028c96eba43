import { connectDatabase, type DatabaseAddress, type Sql } from '@/db/connect';
import { migrateDatabase } from '@/db/migrate';
import { startEmbeddedPostgres } from '@/lib/postgres/supervisor';
import { queryAnnotations } from '@/lib/query/annotations';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import { ANY_ATTEMPT } from '@/lib/query/attempt-filter';
import { queryAttempts } from '@/lib/query/attempts';
import { querySeries } from '@/lib/query/series';
import { queryServers } from '@/lib/query/servers';
import { querySummary } from '@/lib/query/summary';
import { periodBefore } from '@/lib/rollup/period-parts';
import { startTestDatabase } from '@/tests/integration/database';
import { fill } from './queries/fill';

/**
 * The overview's queries over few attempts and over ten times as many in the same days, turn about in one run. What
 * is answered from rollups takes the same time; what reads rows does not.
 *
 * usage: npm run bench:queries -- [attempts] [rounds] [days] [folder that keeps the filled databases for the next run]
 */
const [few = 1_000_000, rounds = 20, days = 7] = process.argv.slice(2, 5).map(Number);
const folder = process.argv[5] ?? null;
const FACTOR = 10;
const RATIO_MAX = 1.3;
const P95_MS_MAX = 100;
const UNTIL_MS = Date.UTC(2027, 5, 15, 12, 34, 56, 789);
const HOUR_MS = 3_600_000;

type Query = (sql: Sql, filter: PeriodFilter) => Promise<unknown>;
const QUERIES: Readonly<Record<string, Query>> = {
  summary: querySummary,
  'series by mark': (sql, filter) => querySeries(sql, filter, stepOf(filter), 'mark'),
  'series of the period before': (sql, filter) =>
    querySeries(sql, { ...filter, ...periodBefore(filter), isOpen: false }, stepOf(filter), 'mark'),
  annotations: (sql, filter) => queryAnnotations(sql, filter, Math.max(60, stepOf(filter))),
  servers: queryServers,
  'newest wrong': (sql, filter) => queryAttempts(sql, { ...filter, marks: ['unsafe_resume', 'bad_replay', 'over_refusal'] }, 6, null),
  'series of resume_unavailable': (sql, filter) => querySeries(sql, { ...filter, unavailable: true }, stepOf(filter), 'mark'),
  'newest resume_unavailable': (sql, filter) => queryAttempts(sql, { ...filter, unavailable: true }, 200, null),
};
/** As the overview asks: up to now, from the begin of an hour. */
const PERIODS: Readonly<Record<string, number>> = {
  'three hours': Math.floor((UNTIL_MS - 3 * HOUR_MS) / HOUR_MS) * HOUR_MS,
  day: Math.floor((UNTIL_MS - 24 * HOUR_MS) / HOUR_MS) * HOUR_MS,
  'six days': Math.floor((UNTIL_MS - 6 * 24 * HOUR_MS) / HOUR_MS) * HOUR_MS,
};

const database = folder === null ? await startTestDatabase() : await keptDatabase(folder);
const { connection } = database.postgres;
const small = await filled('few', few);
const large = await filled('many', few * FACTOR);
const slowest = { few: 0, many: 0, p95: 0 };
for (const [period, fromMs] of Object.entries(PERIODS)) {
  for (const [name, query] of Object.entries(QUERIES)) {
    const filter = filterOf(fromMs, UNTIL_MS);
    const times = { few: [] as number[], many: [] as number[] };
    for (let round = -2; round < rounds; round++) {
      const [a, b] = [await timed(() => query(small, filter)), await timed(() => query(large, filter))];
      if (round < 0) continue;
      times.few.push(a);
      times.many.push(b);
    }
    const [fewMs, manyMs, p95] = [quantile(times.few, 0.5), quantile(times.many, 0.5), quantile(times.many, 0.95)];
    slowest.few = Math.max(slowest.few, fewMs);
    slowest.many = Math.max(slowest.many, manyMs);
    slowest.p95 = Math.max(slowest.p95, p95);
    console.log(
      `${name} of the last ${period}: ${fewMs.toFixed(1)} ms over ${few}, ${manyMs.toFixed(1)} ms over ${few * FACTOR} (p95 ${p95.toFixed(1)}), ratio ${(manyMs / fewMs).toFixed(2)}`,
    );
  }
}
const ratio = slowest.many / slowest.few;
const isGood = ratio <= RATIO_MAX && slowest.p95 < P95_MS_MAX;
console.log(
  `slowest: ${slowest.few.toFixed(1)} ms and ${slowest.many.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (at most ${RATIO_MAX}), p95 ${slowest.p95.toFixed(1)} ms (below ${P95_MS_MAX}): ${isGood ? 'held' : 'missed'}`,
);
await Promise.all([small.end(), large.end()]);
await database.stop();
process.exitCode = isGood ? 0 : 1;

async function keptDatabase(dataDir: string) {
  const postgres = await startEmbeddedPostgres({ dataDir });
  return { postgres, stop: () => postgres.stop() };
}

async function filled(kind: string, attempts: number): Promise<Sql> {
  const name = `${kind}_${attempts}_${days}`;
  const address: DatabaseAddress = 'url' in connection ? connection : { ...connection, database: name };
  const admin = connectDatabase(connection, 1, 'bench');
  const [known] = await admin`select from pg_database where datname = ${name}`;
  if (known === undefined) await admin.unsafe(`create database ${name}`);
  await admin.end();
  await migrateDatabase(address);
  if (known !== undefined) return connectDatabase(address, 4, 'bench');
  const filling = connectDatabase(address, 1, 'bench fill');
  const since = performance.now();
  await fill(filling, attempts, days, UNTIL_MS);
  await filling.end();
  console.log(`${attempts} attempts over ${days} days made in ${((performance.now() - since) / 1000).toFixed(0)} s`);
  return connectDatabase(address, 4, 'bench');
}

function filterOf(fromMs: number, toMs: number): PeriodFilter {
  return { ...ANY_ATTEMPT, fromMs, toMs, isOpen: true };
}

function stepOf({ fromMs, toMs }: PeriodFilter): number {
  return toMs - fromMs <= 4 * HOUR_MS ? 60 : toMs - fromMs <= 25 * HOUR_MS ? 900 : 3_600;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
