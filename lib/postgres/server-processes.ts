import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Pids of live PostgreSQL processes that work in `pgdata`: its postmaster and that postmaster's children,
 * whoever their parent is now. Null where the system has no /proc to ask.
 */
export function serverProcesses(pgdata: string): readonly number[] | null {
  if (!existsSync('/proc/self/cwd')) return null;
  const directory = realpathSync(pgdata);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => worksIn(pid, directory))
    .map(Number);
}

function worksIn(pid: string, directory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    // The process ended, is a zombie, or belongs to another user: it holds nothing of ours.
    return false;
  }
}

/** What a running server wrote to its lock file: pid and the directory of its socket; null without a readable file. */
export function readLockFile(pgdata: string): { readonly pid: number; readonly socketDir: string } | null {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, socketDir: lines[4] ?? '' } : null;
  } catch {
    return null;
  }
}

/** True when a process with this id exists, also one that this user may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
