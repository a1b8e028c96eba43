import { createHash } from 'node:crypto';
import type { Finding } from '@/lib/audit/finding';

/**
 * The id of a stored finding: the same for the same server, code, session, stream, connection and place of its first
 * record, so that what is proved again, by whomever, meets its own row.
 */
export function findingId({ server, code, session, stream, conn, index }: Finding): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([server, code, session, stream, conn, index]))
    .digest('hex');
  // A UUID of version 8: its bits are ours.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
