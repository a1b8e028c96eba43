import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { serverProcesses } from '@/lib/postgres/server-processes';
import { until } from '@/lib/postgres/until';
import { type AppProcess, disposeApp, freshDataDir, startApp } from './app-process';

const WAIT_MS = 120_000;
let running: AppProcess[] = [];

afterEach(async () => {
  // The newest first: it may use the data folder of the one before.
  for (const app of running.reverse()) await disposeApp(app);
  running = [];
});

async function start(...options: Parameters<typeof startApp>): Promise<AppProcess> {
  const app = await startApp(...options);
  running.push(app);
  return app;
}

async function send(app: AppProcess, id: string): Promise<number> {
  const record = {
    type: 'resume_attempt',
    id,
    at: new Date().toISOString(),
    server: 'lifecycle',
    session: 's',
    verdict: 'resumed',
    status: 200,
  };
  const response = await fetch(`${app.url}/api/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(record),
  });
  return response.status;
}

async function stored(app: AppProcess): Promise<readonly string[]> {
  const response = await fetch(`${app.url}/api/v1/attempts?server=lifecycle&limit=1000`);
  const { items } = (await response.json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}

/** Pids of this app's page renderer; read from /proc, so Linux only, as CI is. */
function renderers(app: AppProcess): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3] === String(app.pid) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('renderer')
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** What the server answers to an upgrade of `path`, until it closes the connection. */
function upgradeAnswer(app: AppProcess, path: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
    });
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends everything, with exit code 0 and no process left', async (signal) => {
  const app = await start();
  expect((await fetch(app.url)).status).toBe(200);
  app.kill(signal);
  expect(await app.exited).toBe(0);
  expect(serverProcesses(join(app.dataDir, 'postgres'))).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s to npm reaches the app, which ends with exit code 0', async (signal) => {
  const app = await start({ command: ['npm', 'start'] });
  app.kill(signal);
  expect(await app.exited).toBe(0);
  expect(app.output()).toContain('tidemark stopped');
});

test('npm killed without a word takes the app with it, and the next start goes on', async () => {
  const first = await start({ command: ['npm', 'start'] });
  const id = randomUUID();
  expect(await send(first, id)).toBe(202);
  first.kill('SIGKILL');
  const second = await start({ command: ['npm', 'start'], dataDir: first.dataDir });
  expect(await stored(second)).toEqual([id]);
  await expect(fetch(first.url)).rejects.toThrow();
});

test('a kill loses no acknowledged record and blocks no later start', async () => {
  const first = await start();
  const ids = Array.from({ length: 20 }, () => randomUUID());
  for (const id of ids) expect(await send(first, id)).toBe(202);
  first.kill('SIGKILL');
  await first.exited;
  const second = await start({ dataDir: first.dataDir });
  expect([...(await stored(second))].sort()).toEqual([...ids].sort());
});

test('a second start on the same data is refused and leaves the first one serving', async () => {
  const app = await start();
  await expect(startApp({ dataDir: app.dataDir })).rejects.toThrow('postgres_data_dir_busy');
  expect((await fetch(app.url)).status).toBe(200);
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
});

test('while the page renderer is down, pages say so, the API answers, and pages come back', async () => {
  const app = await start();
  const [renderer] = renderers(app);
  if (renderer === undefined) throw new Error('no page renderer runs');
  process.kill(renderer, 'SIGKILL');
  expect((await fetch(`${app.url}/api/v1/summary`)).status).toBe(200);
  expect(await until(() => renderers(app).some((pid) => pid !== renderer), WAIT_MS)).toBe(true);
  await expect.poll(async () => (await fetch(app.url)).status).toBe(200);
  expect(app.output()).toContain('the page renderer ended (SIGKILL)');
});

test('a crash of the database is survived without a restart of the app', async () => {
  const app = await start();
  const before = randomUUID();
  expect(await send(app, before)).toBe(202);
  const pgdata = join(app.dataDir, 'postgres');
  const lock = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8');
  process.kill(Number(lock.split('\n')[0]), 'SIGKILL');
  let status = 0;
  const again = async (): Promise<void> => {
    while (status !== 200) status = (await fetch(`${app.url}/readyz`)).status;
  };
  expect(await until(() => app.output().includes('the database server is up again'), WAIT_MS)).toBe(true);
  await again();
  await expect.poll(() => send(app, randomUUID())).toBe(202);
  await expect.poll(() => stored(app).catch(() => [])).toContain(before);
});

test('an upgrade that is nobody’s is answered and closed', async () => {
  const app = await start();
  expect(await upgradeAnswer(app, '/nowhere')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await upgradeAnswer(app, '/_next/hmr')).toMatch(/^HTTP\/1\.1 404 /);
});

test.each([
  ['a port that is none', { PORT: '70000' }, 'PORT: must be an integer from 0 to 65535'],
  ['an open address without authentication', { HOST: '0.0.0.0' }, 'config_auth_required'],
  ['a configuration file that is missing', { TIDEMARK_CONFIG: '/nonexistent/tidemark.json' }, 'config_file_unreadable'],
])('%s ends the start with the reason', async (_name, env, reason) => {
  const dataDir = freshDataDir();
  await expect(startApp({ dataDir, env })).rejects.toThrow(reason);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
