/** What keeps a database from serving: its disk is full, it takes no changes, or it is away or too busy. */
export type DatabaseTrouble = 'disk_full' | 'database_read_only' | 'database_unavailable';

/** Each in words. */
export const TROUBLES: Readonly<Record<DatabaseTrouble, string>> = {
  disk_full: 'the database has no space left',
  database_read_only: 'the database takes no changes now',
  database_unavailable: 'the database cannot serve now',
};

/** SQLSTATE disk_full: the server runs and cannot write. */
const DISK_FULL = '53100';
/** SQLSTATE read_only_sql_transaction: a standby, or a server that its keeper lets nobody write to, mostly for want of space. */
const READ_ONLY = '25006';
/** Codes of the driver, of the system and of Postgres that say: not now, but perhaps in a moment. */
const NOT_NOW =
  /^(?:connection_lost|CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53\w{3}|58\w{3}|57014|40001|40P01|55P03)$/;

/** What the error says that the database cannot do now, which passes; null where the statement itself is at fault. */
export function databaseTrouble(cause: unknown): DatabaseTrouble | null {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  if (typeof code !== 'string') return null;
  if (code === DISK_FULL) return 'disk_full';
  if (code === READ_ONLY) return 'database_read_only';
  return NOT_NOW.test(code) ? 'database_unavailable' : null;
}
