/** Codes of the driver, of the system and of Postgres that say: not now, but perhaps in a moment. */
const UNREACHABLE =
  /^(?:connection_lost|CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-5]|53\w{3}|58\w{3}|57014)$/;

/** Whether the error means that the database cannot serve now (away, starting, full), rather than a fault of the statement. */
export function isDatabaseTrouble(cause: unknown): boolean {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  return typeof code === 'string' && UNREACHABLE.test(code);
}

/** SQLSTATE disk_full: the server runs and cannot write. */
export function isDiskFull(cause: unknown): boolean {
  return cause instanceof Error && (cause as { code?: unknown }).code === '53100';
}
