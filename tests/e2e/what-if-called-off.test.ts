import { afterAll, expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S02 } from '@/components/samples/s02';
import { Transactions } from '@/db/transactions';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { type DatabaseLine, lineTo } from './database-line';
import { sendRecords } from './screens';
import { siteOfFile } from './site';

let database: TestDatabase;
let line: DatabaseLine;
let transactions: Transactions;

const site = siteOfFile(
  (app) => sendRecords(app, SAMPLE_S02.records(Date.now() - 60_000, 'token', newId)),
  async () => {
    database = await startTestDatabase();
    line = await lineTo(database);
    transactions = new Transactions(database.postgres.connection, 1, 'test');
    return { env: { DATABASE_URL: line.url } };
  },
);
afterAll(async () => {
  await transactions?.close();
  await line?.cut();
  await database?.stop();
});

test('a what-if that takes long says how far it is and is called off; a change begins it again', async () => {
  const page = await site.open('/whatif?server=sample-s02');
  const verdicts = page.getByRole('region', { name: 'Verdicts under the change' });
  const slider = page.getByRole('slider', { name: 'Events kept' });
  await slider.focus();
  await page.keyboard.press('End');
  await page.getByTestId('whatif-sum').getByText('1 of 1').waitFor();

  await transactions.run(async (tx) => {
    await tx.query('lock table attempt in access exclusive mode');
    await page.keyboard.press('ArrowLeft');
    await verdicts.getByText('0 attempts decided again, 0 changed.').waitFor();
    await verdicts.getByRole('button', { name: 'Call off' }).click();
    await verdicts.getByText('Called off. Change something to begin again.').waitFor();
    expect(await page.getByTestId('whatif-sum').count()).toBe(0);
  });
  await slider.focus();
  await page.keyboard.press('End');
  await page.getByTestId('whatif-sum').getByText('1 of 1').waitFor();
});
