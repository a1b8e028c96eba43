import { createHmac } from 'node:crypto';
import type { Sql } from '@/db/connect';

/** The database was written under another secret: its sessions could not be recognised. */
export class SecretMismatchError extends Error {
  override readonly name = 'SecretMismatchError';
  readonly code = 'secret_mismatch';

  constructor() {
    super('the database was written under another secret; start with the secret file that belongs to it');
  }
}

/**
 * Notes the fingerprint of the secret on first use and refuses any other later, since a changed secret would give
 * every session a second reference.
 *
 * @throws SecretMismatchError
 */
export async function claimSecret(sql: Sql, secret: Uint8Array): Promise<void> {
  const fingerprint = createHmac('sha256', secret).update('tidemark secret fingerprint').digest('hex');
  await sql`insert into installation (key, value) values ('secret_fingerprint', ${fingerprint}) on conflict do nothing`;
  const [row] = await sql<{ value: string }[]>`select value from installation where key = 'secret_fingerprint'`;
  if (row?.value !== fingerprint) throw new SecretMismatchError();
}
