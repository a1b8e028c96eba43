import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ProxyLog } from '@/lib/proxy/call';
import type { Untold } from '@/lib/proxy/intake-sink';

/** Servers of one process are its routes; a file with more is none of ours. */
const SERVERS_MAX = 10_000;

/**
 * Takes what an earlier process left in the file, which is gone then: this process is to say it. A file that cannot be
 * read is left out with a warning, since it must not hold up a start.
 */
export function takeUntold(path: string, log: ProxyLog): Untold {
  try {
    const text = readFileSync(path, 'utf8');
    rmSync(path, { force: true });
    return decodeUntold(JSON.parse(text));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      log('warn', 'what an earlier process gave up of its telemetry is not known', { path, error: String(cause) });
    return new Map();
  }
}

/** Leaves what nobody was told of to the next process, beside what another one left there. */
export function leaveUntold(path: string, given: Untold, log: ProxyLog): void {
  if (given.size === 0) return;
  const untold = new Map(takeUntold(path, log));
  for (const [server, records] of given) untold.set(server, (untold.get(server) ?? 0) + records);
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, JSON.stringify(Object.fromEntries(untold)), { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (cause) {
    log('error', 'telemetry was given up and the next process will not know of it', { path, error: String(cause) });
  }
}

function decodeUntold(value: unknown): Untold {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const counts = Object.entries(value).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && entry[1] > 0);
  return new Map(counts.slice(0, SERVERS_MAX));
}
