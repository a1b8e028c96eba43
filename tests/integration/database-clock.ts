import type { DatabaseAddress } from '@/db/connect';
import { connectDatabase } from '@/db/connect';

/** The clock of a database, which a test may set. */
export interface DatabaseClock {
  readonly set: (toMs: number) => Promise<void>;
}

/**
 * Has a database answer `clock_timestamp()` by a clock that can be set. To be called before anything else connects: the function
 * stands before that of the catalogue on the search path of new sessions.
 */
export async function settableClock(address: DatabaseAddress): Promise<DatabaseClock> {
  const run = async (text: string): Promise<void> => {
    const sql = connectDatabase(address, 1, 'test clock');
    await sql.unsafe(text);
    await sql.end();
  };
  await run(`
    create table public.test_clock (shift interval not null);
    insert into public.test_clock values ('0');
    create function public.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + shift from public.test_clock $$;
    do $$ begin execute format('alter database %I set search_path to public, pg_catalog', current_database()); end $$;`);
  return {
    set: (toMs) => run(`update public.test_clock set shift = to_timestamp(${toMs} / 1000.0) - pg_catalog.clock_timestamp()`),
  };
}
