import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { seedIncidents, sendRecords, seriousFindings } from './screens';
import { siteOfFile } from './site';

/** A way to the database's socket by TCP that a test can cut and open again. */
interface Line {
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

async function lineTo(path: string): Promise<Line> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(path);
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    client.on('close', () => database.destroy()).pipe(database);
    database.on('close', () => client.destroy()).pipe(client);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
  };
}

let database: TestDatabase;
let line: Line;

const site = siteOfFile(
  (app) => sendRecords(app, seedIncidents(Date.now())),
  async () => {
    database = await startTestDatabase();
    const { host, port, user, database: name } = database.postgres.connection;
    line = await lineTo(join(host, `.s.PGSQL.${port}`));
    return { env: { DATABASE_URL: `postgres://${user}@127.0.0.1:${line.port}/${name}` } };
  },
);
afterAll(() => database?.stop());

test('when the database is gone the last good data stays, every page says what is wrong and what to do, and goes on when it is back', async () => {
  const page = await site.open('/');
  await page.getByTestId('fleet-sentence').waitFor();
  const failure = (what: string) =>
    page
      .getByRole('alert')
      .filter({ hasText: `${what} could not be read.` })
      .filter({ hasText: 'database' });
  await line.cut();
  await failure('The summary').waitFor();
  expect(await failure('The summary').textContent()).toMatch(/Showing data of \d\d:\d\d:\d\d UTC/);
  expect(await page.getByTestId('fleet-sentence').isVisible()).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  await page.goto(new URL('/attempts', site.app.url).href);
  await failure('The list of attempts').waitFor();
  expect(await page.getByText('No resume attempt').count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await line.mend();
  await failure('The list of attempts').getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('table', { name: 'Attempts' }).locator('tr[data-id]').first().waitFor();
});
