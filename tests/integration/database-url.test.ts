import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { startTestDatabase, type TestDatabase } from './database';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

test.each([
  {
    form: 'a parameter host beside another one',
    url: (at: Place) => `postgres://${at.user}@localhost:${at.port}/${at.name}?host=${at.folder}`,
  },
  { form: 'parameters host and port', url: (at: Place) => `postgres://${at.user}@localhost/${at.name}?host=${at.folder}&port=${at.port}` },
  { form: 'no host but the parameter', url: (at: Place) => `postgresql:///${at.name}?host=${at.folder}&port=${at.port}&user=${at.user}` },
  { form: 'an encoded host', url: (at: Place) => `postgres://${at.user}@${at.folder}:${at.port}/${at.name}` },
])('the folder of a socket in a database URL is $form: reads and transactions reach it', async ({ url }) => {
  const { host, port, user, database: name } = database.postgres.connection;
  const address = { url: url({ folder: encodeURIComponent(host), port, user, name }) };
  const sql = connectDatabase(address, 1, 'test');
  const transactions = new Transactions(address, 1, 'test');
  try {
    expect(await sql`select current_database() as name`).toEqual([{ name }]);
    const stored = await transactions.run(async (tx) => (await tx.query('select current_database() as name')).rows);
    expect(stored).toEqual([{ name }]);
  } finally {
    await Promise.all([sql.end(), transactions.close()]);
  }
});

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  readonly name: string;
}
