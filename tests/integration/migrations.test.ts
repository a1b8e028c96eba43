import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSESSMENT_CODES, MARK_CODES, REASON_CODES } from '@/db/codes';
import { connectDatabase, type DatabaseAddress, type Sql } from '@/db/connect';
import { migrateDatabase } from '@/db/migrate';
import { HOUR_MS, MINUTE_MS, outcomeKey } from '@/lib/rollup/increments';
import { call } from './api-client';
import { startAppProcess } from './app-child';
import { startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url));
interface Journal {
  readonly entries: readonly { readonly idx: number; readonly tag: string }[];
}
const journal = JSON.parse(readFileSync(join(FOLDER, 'meta/_journal.json'), 'utf8')) as Journal;
/** From this one on the unsafe resumes of a session are told per hour. */
const UNSAFE_HOURS = '0007_storage';
/** From this one on sessions of an hour are counted as they come. */
const SESSION_COUNT = '0011_session_count';
/** The last one in which a project was a label of a key. */
const BEFORE_PROJECTS = '0013_annotation';
/** The last one in which what two projects called the same was one numbering. */
const BEFORE_TELEMETRY_PROJECTS = '0019_pending_batch';

let database: TestDatabase;
const folders: string[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
});

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await database?.stop();
});

/** The migrations of an earlier version: all up to and including the one of an index. */
function migrationsUpTo(index: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-migrations-'));
  folders.push(folder);
  cpSync(FOLDER, folder, { recursive: true });
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries: journal.entries.slice(0, index + 1) }));
  return folder;
}

async function newDatabase(name: string): Promise<DatabaseAddress> {
  const { connection } = database.postgres;
  const admin = connectDatabase(connection, 1, 'test');
  await admin.unsafe(`create database ${name}`);
  await admin.end({ timeout: 1 });
  if ('url' in connection) throw new Error('the test database listens on a socket');
  return { ...connection, database: name };
}

const AT = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS + 61_000;
const DAY_MS = 24 * HOUR_MS;
const SESSION = 'ab'.repeat(16);

/** What an installation of an earlier version holds: a server, two unsafe attempts of one session (one rolled up, one pending), a boot. */
async function storeAsThen(sql: Sql): Promise<void> {
  const days = new Set([AT, AT + HOUR_MS].map((atMs) => Math.floor(atMs / DAY_MS) * DAY_MS));
  for (const day of days) {
    const [from, to] = [new Date(day).toISOString(), new Date(day + DAY_MS).toISOString()];
    const suffix = from.slice(0, 10).replaceAll('-', '');
    for (const table of ['attempt', 'record'])
      await sql.unsafe(`create table ${table}_${suffix} partition of ${table} for values from ('${from}') to ('${to}')`);
  }
  await sql`insert into server (name) values ('earlier')`;
  for (const atMs of [AT, AT + HOUR_MS]) {
    await sql`
      insert into attempt (at, id, received_at, arrival, server_id, session_ref, generation, cursor, floor, head, status, act, verdict, reason,
        assessment, mark, is_unavailable, gap_count, body)
      values (${new Date(atMs)}, ${randomUUID()}, ${new Date(atMs)}, ${String(atMs)}, 1, ${SESSION}::uuid, '3', 1041, 1043, 1100, 200, 0, 1,
        ${REASON_CODES.below_floor}, ${ASSESSMENT_CODES.unsafe_resume}, ${MARK_CODES.unsafe_resume}, false, 1,
        '{"type":"resume_attempt","cursor":1041,"floor":1043,"head":1100,"generation":3,"requested_generation":3,"session_state":"live","verdict":"resumed","status":200,"last_event_id":"1041"}')`;
  }
  await sql`
    insert into record (at, id, received_at, arrival, server_id, type, generation, body)
    values (${new Date(AT)}, ${randomUUID()}, ${new Date(AT)}, 1, 1, 1, '3', '{"type":"boot","generation":3}')`;
  const hour = new Date(Math.floor(AT / HOUR_MS) * HOUR_MS);
  const [reason, assessment] = [REASON_CODES.below_floor, ASSESSMENT_CODES.unsafe_resume];
  await sql`insert into attempt_minute values (${new Date(Math.floor(AT / MINUTE_MS) * MINUTE_MS)}, ${reason}, ${assessment}, 1, 0, 1, 0)`;
  await sql`
    insert into server_hour (bucket, server_id, reason, assessment, attempts, unavailable, gap_events, uncounted, first_at, last_at)
    values (${hour}, 1, ${reason}, ${assessment}, 1, 0, 1, 0, ${new Date(AT)}, ${new Date(AT)})`;
  await sql`insert into session values (${SESSION}::uuid, 1, ${new Date(AT)}, ${new Date(AT)}, 1, 1, 1)`;
  await sql`insert into session_hour (hour, server_id, session_ref) values (${hour}, 1, ${SESSION}::uuid)`;
  await sql`insert into pending_rollup (increments) values (${pendingOfSecond()})`;
}

/** What the second attempt left to be folded, as it was written before unsafe resumes were told per hour. */
function pendingOfSecond(): string {
  const atMs = AT + HOUR_MS;
  const [reason, assessment] = [REASON_CODES.below_floor, ASSESSMENT_CODES.unsafe_resume];
  const hour = Math.floor(atMs / HOUR_MS);
  return [
    `m ${outcomeKey(Math.floor(atMs / MINUTE_MS), reason, assessment)} 1 0 1 0`,
    `v 1 ${atMs} ${atMs} 1`,
    `h 1 ${outcomeKey(hour, reason, assessment)} 1 0 1 0 ${atMs} ${atMs} - - -`,
    `s ${SESSION} 1 ${atMs} ${atMs} 1 1 1 ${hour}`,
    '',
  ].join('\n');
}

describe('an installation of an earlier version', () => {
  test.each(journal.entries.slice(0, -1))('at $tag goes on with the present one, and what it stored reads as before', async ({ idx }) => {
    const address = await newDatabase(`from_${idx}`);
    await migrateDatabase(address, migrationsUpTo(idx));
    const sql = connectDatabase(address, 1, 'test');
    await storeAsThen(sql);
    if (journal.entries.findIndex((entry) => entry.tag === UNSAFE_HOURS) <= idx) await sql`update session_hour set unsafe = 1`;
    if (journal.entries.findIndex((entry) => entry.tag === SESSION_COUNT) <= idx)
      await sql`insert into session_count select hour, 1, is_unsafe, '-infinity', 1 from session_hour, (values (false), (true)) as of (is_unsafe)`;
    await migrateDatabase(address);

    const edge = await startEdge(address);
    const period = `from=${AT - 2 * HOUR_MS}&to=${AT + 10 * HOUR_MS}`;
    const attempts = await call(`${edge.base}/api/v1/attempts?${period}`);
    expect(attempts.body['items']).toMatchObject([
      { server: 'earlier', assessment: 'unsafe_resume', decision: { reason: 'below_floor', gap: { count: 1 } } },
      { server: 'earlier', session: SESSION },
    ]);
    const summary = await call(`${edge.base}/api/v1/summary?${period}`);
    expect(summary.body).toMatchObject({
      at_least: false,
      totals: { attempts: 2, marks: { unsafe_resume: 2 }, sessions: 1, unsafe_sessions: 1, events_lost: 2 },
      losing: [{ server: 'earlier', unsafe: 2, sessions: 1, first_unsafe_at: new Date(AT).toISOString() }],
    });
    const session = await call(`${edge.base}/api/v1/sessions/${SESSION}`);
    expect(session.body).toMatchObject({ server: 'earlier', attempts: 2 });
    await edge.stop();

    const [unsafe] = await sql<{ hours: number }[]>`select count(*)::int as hours from session_hour where unsafe > 0`;
    expect(unsafe?.hours).toBe(2);
    await sql.end({ timeout: 1 });
  });
});

test('what keys were said to be for becomes projects, and everything else belongs to the default one', async () => {
  const address = await newDatabase('labelled');
  await migrateDatabase(address, migrationsUpTo(journal.entries.findIndex(({ tag }) => tag === BEFORE_PROJECTS)));
  const sql = connectDatabase(address, 1, 'test');
  await sql`insert into server (name) values ('earlier')`;
  for (const [index, project] of ['search', null, 'search ', ' ', 'default', 'pay'].entries()) {
    await sql`
      insert into access_key (id, prefix, hash, label, project, scopes, created_at, created_by)
      values (${randomUUID()}, ${String(index)}, '', ${`key ${index}`}, ${project}, 'ingest', ${new Date(AT + index)}, 'ada')`;
  }
  await migrateDatabase(address);
  const keys = await sql<{ label: string; project: string }[]>`
    select label, p.name as project from access_key k join project p on p.id = k.project_id order by label`;
  expect(keys.map(({ project }) => project)).toEqual(['search', 'default', 'search', 'default', 'default', 'pay']);
  const projects = await sql<{ name: string }[]>`select name from project order by id`;
  expect(projects.map(({ name }) => name)).toEqual(['default', 'search', 'pay']);
  const [server] = await sql<{ project: string }[]>`
    select p.name as project from server s join project p on p.id = s.project_id where s.name = 'earlier'`;
  expect(server).toEqual({ project: 'default' });
  await sql.end({ timeout: 1 });
});

test('what a producer missed is of the projects of its servers, and goes on to be filled there', async () => {
  const address = await newDatabase('numbered');
  await migrateDatabase(address, migrationsUpTo(journal.entries.findIndex(({ tag }) => tag === BEFORE_TELEMETRY_PROJECTS)));
  const sql = connectDatabase(address, 1, 'test');
  await sql`insert into project (name, created_at) values ('a', now()), ('b', now())`;
  await sql`insert into server (name, project_id) values ('of-a', 1), ('of-b', 2), ('of-default', 0), ('also-of-a', 1)`;
  const reportsOn = { alone: [1, 4], shared: [1, 2], default: [3], unheard: [] as number[] };
  const at = new Date(AT);
  for (const [producer, servers] of Object.entries(reportsOn)) {
    await sql`insert into producer_epoch values (${producer}, 'e1', 4, ${at}, 2, ${at}, ${at})`;
    await sql`insert into telemetry_loss values (${producer}, 'e1', 2, 3, ${at}, ${at}, 0, ${at}), (${producer}, 'e1', 4, 3, ${at}, ${at}, 2, ${at})`;
    for (const server of servers) await sql`insert into producer_server values (${producer}, ${server})`;
  }
  await migrateDatabase(address);
  const projectsIn = async (table: string): Promise<Record<string, string>> => {
    const rows = await sql<{ producer: string; projects: string }[]>`
      select producer, string_agg(distinct project_id::text, ' ' order by project_id::text) as projects from ${sql(table)} group by 1`;
    return Object.fromEntries(rows.map(({ producer, projects }) => [producer, projects]));
  };
  const owned = { alone: '1', shared: '1 2', default: '0', unheard: '0' };
  expect(await projectsIn('producer_epoch')).toEqual(owned);
  expect(await projectsIn('telemetry_loss')).toEqual(owned);
  expect(await sql`select producer, project_id as project, server_id as server from producer_server order by 1, 3`).toEqual([
    { producer: 'alone', project: 1, server: 1 },
    { producer: 'alone', project: 1, server: 4 },
    { producer: 'default', project: 0, server: 3 },
    { producer: 'shared', project: 1, server: 1 },
    { producer: 'shared', project: 2, server: 2 },
  ]);
  // Without keys all is of the default project.
  const edge = await startEdge(address);
  const headers = { 'content-type': 'application/json', 'tidemark-producer': 'default', 'tidemark-epoch': 'e1', 'tidemark-sequence': '2' };
  expect((await call(`${edge.base}/api/v1/telemetry`, { method: 'POST', headers, body: '[]' })).status).toBe(202);
  const { body } = await call(`${edge.base}/api/v1/summary?from=${AT - HOUR_MS}&to=${AT + HOUR_MS}&server=of-default`);
  expect(body).toMatchObject({ at_least: true, lost_batches: 1 + 2, dropped_records: 2 + 2 });
  await edge.stop();
  await sql.end({ timeout: 1 });
});

test('two processes that start on an empty database migrate it once, and both go on', async () => {
  const address = await newDatabase('at_once');
  const started = await Promise.all([startAppProcess(address), startAppProcess(address)]);
  for (const { base } of started) expect((await call(`${base}/readyz`)).status).toBe(200);
  const sql = connectDatabase(address, 1, 'test');
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from drizzle.__drizzle_migrations`;
  expect(row?.count).toBe(journal.entries.length);
  await sql.end({ timeout: 1 });
  for (const { child } of started) child.kill('SIGKILL');
});

test('a migration that fails leaves the version before it whole, and is tried again by the next start', async () => {
  const address = await newDatabase('failing');
  await migrateDatabase(address, migrationsUpTo(2));
  const sql = connectDatabase(address, 1, 'test');
  // A table in the way of a later migration.
  await sql`create table change_log (in_the_way int)`;
  await expect(migrateDatabase(address)).rejects.toThrow();
  const [before] = await sql<{ count: number; later: string | null }[]>`
    select (select count(*)::int from drizzle.__drizzle_migrations) as count, to_regclass('access_key')::text as later`;
  expect(before).toEqual({ count: 3, later: null });
  await sql`drop table change_log`;
  await migrateDatabase(address);
  const [after] = await sql<{ count: number }[]>`select count(*)::int as count from drizzle.__drizzle_migrations`;
  expect(after?.count).toBe(journal.entries.length);
  await sql.end({ timeout: 1 });
});
