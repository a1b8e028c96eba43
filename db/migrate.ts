import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { connectDatabase, type DatabaseAddress } from '@/db/connect';

/** Any number that no other user of the database takes for its own advisory lock. */
const MIGRATION_LOCK = 7_310_204_811;

/**
 * Brings the tables up to date, forwards only. Processes that start together take turns under an advisory lock:
 * one migrates, the others find nothing left to do.
 *
 * @param folder where the migrations lie; the default is right unless the code was bundled elsewhere.
 */
export async function migrateDatabase(
  address: DatabaseAddress,
  folder = fileURLToPath(new URL('./migrations', import.meta.url)),
): Promise<void> {
  const sql = connectDatabase(address, 1, 'migration');
  try {
    // Years of rows take their time, and so does a turn behind another process that migrates them.
    await sql`set statement_timeout = 0`;
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(sql), { migrationsFolder: folder });
  } finally {
    // Ending the session frees the lock.
    await sql.end({ timeout: 5 });
  }
}
