import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { RunIdentity } from './run-identity';

export const SUPERUSER = 'tidemark';
const INIT_MS = 120_000;

/**
 * How PostgreSQL is told where its data is. Under another identity it may be unable to enter the folders above
 * (a home, a private temporary folder); its working directory is entered before the identity changes, and Linux resolves
 * that link without walking the path. Before version 16 the programs leave their working directory while they look
 * for themselves, so those need a path that they may enter.
 */
export function dataDirArgument(pgdata: string, identity: RunIdentity, binaries: Binaries): string {
  const throughWorkingDirectory = identity.uid !== undefined && process.platform === 'linux' && binaries.major >= 16;
  return throughWorkingDirectory ? '/proc/self/cwd' : pgdata;
}

/**
 * Makes sure that `pgdata` holds a database cluster of this major version. A cluster is created beside it and
 * renamed into place, so that a kill half-way leaves nothing that looks like one. Repeating it changes nothing.
 */
export function ensureCluster(pgdata: string, binaries: Binaries, identity: RunIdentity): void {
  removeUnfinished(pgdata);
  if (existsSync(join(pgdata, 'PG_VERSION'))) {
    checkUsable(pgdata, binaries);
    return;
  }
  mkdirSync(dirname(pgdata), { recursive: true });
  const unfinished = mkdtempSync(`${pgdata}.init-`);
  chmodSync(unfinished, 0o700);
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(unfinished, identity.uid, identity.gid);
  const run = spawnSync(join(binaries.binDir, 'initdb'), initArguments(unfinished, pgdata, binaries, identity), {
    ...identity,
    cwd: unfinished,
    encoding: 'utf8',
    timeout: INIT_MS,
    env: serverEnvironment(),
  });
  if (run.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      'postgres_init_failed',
      `initdb failed: ${run.error?.message ?? run.stderr.trim()}`,
      'read the message of initdb above: free disk space, a DATA_DIR that the server user may enter, and a user with an entry in /etc/passwd are the usual needs',
    );
  }
  // Refuses a folder with other content instead of replacing it.
  renameSync(unfinished, pgdata);
}

/** The environment of every PostgreSQL program: no locale and no PG* variable of the caller leaks in. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  // Next's types demand NODE_ENV of every environment; PostgreSQL does not read it.
  return { NODE_ENV: 'production', PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...windowsRoot() };
}

/** The password of the Windows server, which has no private socket; null elsewhere. */
export function clusterPassword(pgdata: string): string | null {
  return process.platform === 'win32' ? readFileSync(`${pgdata}.password`, 'utf8').trim() : null;
}

function windowsRoot(): Record<string, string> {
  const root = process.env['SystemRoot'];
  return root === undefined ? {} : { SystemRoot: root };
}

function initArguments(unfinished: string, pgdata: string, binaries: Binaries, identity: RunIdentity): string[] {
  const common = ['-D', dataDirArgument(unfinished, identity, binaries), '-U', SUPERUSER, '--encoding=UTF8', '--locale=C'];
  if (process.platform !== 'win32') return [...common, '--auth=trust'];
  writeFileSync(`${pgdata}.password`, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return [...common, '--auth=scram-sha-256', `--pwfile=${pgdata}.password`];
}

function removeUnfinished(pgdata: string): void {
  const parent = dirname(pgdata);
  if (!existsSync(parent)) return;
  const prefix = `${basename(pgdata)}.init-`;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function checkUsable(pgdata: string, binaries: Binaries): void {
  const version = Number(readFileSync(join(pgdata, 'PG_VERSION'), 'utf8').trim());
  if (version === binaries.major) return;
  throw new EmbeddedPostgresError(
    'postgres_version_mismatch',
    `${pgdata} was written by PostgreSQL ${version}, the programs here are version ${binaries.major}`,
    'move the rows with pg_dump of the older version, or set DATA_DIR to a new folder',
  );
}
