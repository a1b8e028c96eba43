import type { DatabaseAddress } from '@/db/connect';
import type { EmbeddedPostgres } from '@/lib/postgres/supervisor';

/** The configured server, or else the embedded one. */
export function databaseAddress(url: string | null, embedded: EmbeddedPostgres | undefined): DatabaseAddress {
  if (url !== null) return { url };
  if (embedded === undefined) throw new Error('neither a database URL nor an embedded database');
  return embedded.connection;
}
