import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { isAlive, readLockFile, serverProcesses } from './server-processes';
import { until } from './until';

/** A fast shutdown flushes dirty pages; a loaded disk needs a while for that. */
const FAST_STOP_MS = 30_000;
const IMMEDIATE_STOP_MS = 10_000;

/**
 * Ends every server that an earlier, killed owner left behind in `pgdata`, and clears a lock file that names
 * no live server. Committed rows are kept: the servers are asked for a fast shutdown first, an immediate one after
 * 30 s (recovery then replays the log). Call it only while holding the directory's ownership.
 */
export async function stopOrphans(pgdata: string, log: (line: string) => void): Promise<void> {
  const lock = readLockFile(pgdata);
  const find = () => serverProcesses(pgdata) ?? pidsByLockFile(pgdata);
  const found = find();
  if (found.length > 0) {
    log(`stopping the database server that an earlier run left behind (pid ${found.join(', ')})`);
    await stopAll(find, lock?.pid ?? null);
  }
  const left = readLockFile(pgdata);
  // The number may belong to a zombie or to another program by now; PostgreSQL itself would take it for a live server.
  if (left !== null && isAlive(left.pid)) rmSync(join(pgdata, 'postmaster.pid'), { force: true });
}

async function stopAll(find: () => readonly number[], postmaster: number | null): Promise<void> {
  const found = find();
  if (postmaster !== null && found.includes(postmaster)) send(postmaster, 'SIGINT');
  else for (const pid of found) send(pid, 'SIGTERM');
  if (await until(() => find().length === 0, FAST_STOP_MS)) return;
  for (const pid of find()) send(pid, 'SIGQUIT');
  if (await until(() => find().length === 0, IMMEDIATE_STOP_MS)) return;
  throw new EmbeddedPostgresError(
    'postgres_orphan_stuck',
    `the database server of an earlier run does not stop (pid ${find().join(', ')})`,
    'stop these processes by hand, then start again',
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already: that is what was asked for.
  }
}

/** Where there is no /proc, the lock file's pid counts when it is alive and its program is PostgreSQL. */
function pidsByLockFile(pgdata: string): readonly number[] {
  const lock = readLockFile(pgdata);
  if (lock === null || !isAlive(lock.pid) || process.platform === 'win32') return [];
  try {
    const command = execFileSync('ps', ['-o', 'comm=', '-p', String(lock.pid)], { encoding: 'utf8', timeout: 5_000 });
    return command.includes('postgres') ? [lock.pid] : [];
  } catch {
    return [];
  }
}
