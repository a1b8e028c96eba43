import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { RunIdentity } from './run-identity';

export const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;
const TEMPORARY_PREFIX = 'tidemark-pg-';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, the closing NUL included. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

const fits = (directory: string): boolean => Buffer.byteLength(join(directory, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX;

/**
 * The directory of the server's socket: `pgdata` itself, which only its owner may enter, or a fresh private
 * temporary one when that path is too long for a socket address.
 */
export function chooseSocketDir(pgdata: string, identity: RunIdentity): string {
  if (fits(pgdata)) return pgdata;
  const parent = fits(join(tmpdir(), `${TEMPORARY_PREFIX}XXXXXX`)) ? tmpdir() : '/tmp';
  const directory = mkdtempSync(join(parent, TEMPORARY_PREFIX));
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(directory, identity.uid, identity.gid);
  return directory;
}

/** Removes a directory that `chooseSocketDir` made; any other path is left alone. */
export function removeTemporarySocketDir(directory: string): void {
  if (basename(directory).startsWith(TEMPORARY_PREFIX)) rmSync(directory, { recursive: true, force: true });
}
