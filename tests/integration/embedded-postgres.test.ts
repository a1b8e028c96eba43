import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installedPackageRoot } from '@/lib/postgres/binaries';
import { serverProcesses } from '@/lib/postgres/server-processes';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from '@/lib/postgres/supervisor';
import { until } from '@/lib/postgres/until';

const WAIT_MS = 120_000;
let folder: string;
let running: EmbeddedPostgres[];
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark test '));
  running = [];
  lines = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir: string, options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ ...options, dataDir, log: (line) => lines.push(line) });
  running.push(server);
  return server;
}

async function count(server: EmbeddedPostgres): Promise<number> {
  const sql = postgres({ ...server.connection, max: 1, connect_timeout: 60 });
  try {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from kept`;
    return row?.n ?? Number.NaN;
  } finally {
    await sql.end();
  }
}

async function seed(server: EmbeddedPostgres): Promise<void> {
  const sql = postgres({ ...server.connection, max: 1 });
  await sql`create table kept (n int)`;
  await sql`insert into kept values (1), (2), (3)`;
  await sql.end();
}

/** Runs an owner in a process of its own until it has committed a row; answers both pids. */
async function ownerProcess(dataDir: string): Promise<{ owner: number; server: number }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'tests/integration/postgres-owner.ts', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  expect(await until(() => output.includes('committed'), WAIT_MS)).toBe(true);
  return { owner: child.pid ?? 0, server: Number(output.split(' ')[1]) };
}

test('a stopped server starts again on the same rows, in C locale, UTF-8 and with fsync', async () => {
  const dataDir = join(folder, 'data');
  const first = await start(dataDir);
  await seed(first);
  await first.stop();
  const second = await start(dataDir);
  expect(await count(second)).toBe(3);
  const sql = postgres({ ...second.connection, max: 1 });
  const [row] = await sql`select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
    (select datcollate from pg_database where datname = current_database()) as collate, current_setting('listen_addresses') as tcp`;
  await sql.end();
  expect(row).toEqual({ fsync: 'on', encoding: 'UTF8', collate: 'C', tcp: '' });
});

test('the server that a killed owner left behind is ended at the next start and its committed rows are kept', async () => {
  const dataDir = join(folder, 'data');
  const { owner, server } = await ownerProcess(dataDir);
  process.kill(owner, 'SIGKILL');
  const next = await start(dataDir);
  expect(await count(next)).toBe(1);
  expect(next.pid()).not.toBe(server);
  expect(serverProcesses(join(dataDir, 'postgres')) ?? []).not.toContain(server);
  expect(lines.join('\n')).toContain('an earlier run left behind');
});

test('a killed server is reported, restarted behind the same address, and keeps its rows', async () => {
  const server = await start(join(folder, 'data'));
  await seed(server);
  const before = server.pid();
  process.kill(before ?? 0, 'SIGKILL');
  expect(await until(() => server.pid() !== null && server.pid() !== before, WAIT_MS)).toBe(true);
  expect(await count(server)).toBe(3);
  expect(lines.join('\n')).toContain('the database server ended (SIGKILL');
});

test('a second owner of the same folder is refused and the first one is not disturbed', async () => {
  const dataDir = join(folder, 'data');
  const first = await start(dataDir);
  await seed(first);
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: 'postgres_data_dir_busy' });
  expect(await count(first)).toBe(3);
});

test('a data folder whose path is far too long for a socket address works and leaves no temporary folder', async () => {
  const dataDir = join(folder, 'a-long-folder-name-'.repeat(6), 'data');
  const server = await start(dataDir);
  await seed(server);
  const socketDir = server.connection.host;
  expect(Buffer.byteLength(socketDir)).toBeLessThan(80);
  await server.stop();
  expect(readdirSync(dirname(socketDir))).not.toContain(socketDir.split('/').at(-1));
});

test('a cluster that was only half created is not taken for one', async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(join(dataDir, 'postgres.init-killed', 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres.init-killed', 'PG_VERSION'), '18\n');
  await seed(await start(dataDir));
  expect(readdirSync(dataDir)).not.toContain('postgres.init-killed');
});

test('a stale lock file that names a living foreign process does not block the start', async () => {
  const dataDir = join(folder, 'data');
  const first = await start(dataDir);
  await seed(first);
  const lockFile = join(dataDir, 'postgres', 'postmaster.pid');
  const text = readFileSync(lockFile, 'utf8');
  await first.stop();
  writeFileSync(lockFile, text.replace(/^\d+/, String(process.pid)));
  expect(await count(await start(dataDir))).toBe(3);
});

test('another major version is refused with a way out', async () => {
  const dataDir = join(folder, 'data');
  await (await start(dataDir)).stop();
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: 'postgres_version_mismatch' });
});

test('programs whose links npm did not make are completed, in place or in a copy when the package is closed', async () => {
  const packageRoot = join(folder, 'package');
  cpSync(installedPackageRoot() ?? '', packageRoot, { recursive: true, verbatimSymlinks: true });
  const links = join(packageRoot, 'native', 'lib');
  for (const entry of readdirSync(links, { withFileTypes: true })) if (entry.isSymbolicLink()) rmSync(join(links, entry.name));
  // Nobody but the owner enters: what root's server user meets in a home folder. For an ordinary owner, read-only stands in.
  chmodSync(links, 0o500);
  chmodSync(packageRoot, 0o500);
  try {
    const server = await start(join(folder, 'data'), { packageRoot });
    await seed(server);
    expect(await count(server)).toBe(3);
  } finally {
    chmodSync(links, 0o700);
    chmodSync(packageRoot, 0o700);
  }
});

test('without programs of the package those of the system are tried, and the error says what to install', async () => {
  // Root's server user cannot be led into a closed folder before version 16.
  chmodSync(folder, 0o711);
  const outcome = await start(join(folder, 'data'), { packageRoot: null }).then(
    () => 'started',
    (cause: { code: string; nextStep: string }) => `${cause.code} ${cause.nextStep}`,
  );
  expect(outcome).toMatch(/^started$|^postgres_binaries_missing install PostgreSQL 15 or newer/);
});

test('where a folder of programs is named no other is tried', async () => {
  const binDir = join(folder, 'none');
  await expect(start(join(folder, 'data'), { binDir })).rejects.toMatchObject({
    code: 'postgres_binaries_missing',
    message: expect.stringContaining(binDir),
  });
});
