import { afterAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { arrive } from './arrive';
import { type DatabaseLine, lineTo } from './database-line';
import { seedIncidents, sendRecords, seriousFindings } from './screens';
import { siteOfFile } from './site';

let database: TestDatabase;
let line: DatabaseLine;

const site = siteOfFile(
  (app) => sendRecords(app, seedIncidents(Date.now())),
  async () => {
    database = await startTestDatabase();
    line = await lineTo(database);
    return { env: { DATABASE_URL: line.url } };
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
  await arrive(page, new URL('/attempts', site.app.url).href);
  await failure('The list of attempts').waitFor();
  expect(await page.getByText('No resume attempt').count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await line.mend();
  await failure('The list of attempts').getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('table', { name: 'Attempts' }).locator('tr[data-id]').first().waitFor();
});
