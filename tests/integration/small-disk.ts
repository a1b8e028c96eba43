import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectDatabase } from '@/db/connect';
import { startTestDatabase } from './database';
import { startEdge } from './edge';

/** Room for a cluster, its log and a few thousand records. */
const DISK = 'size=256m,mode=0755';

export interface SmallDisk {
  /** Address of the edge that keeps its data there. */
  readonly base: string;
  /** Leaves no byte free. */
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const startOnSmallDisk = (): Promise<SmallDisk> => (canMount() ? startOnMount() : startOnPlayedDisk());

/**
 * Starts the edge and its Postgres on a disk of their own: a file system in memory, mounted in a namespace that nobody else sees
 * and that ends with the process. An ordinary user may do so inside a user namespace.
 */
async function startOnMount(): Promise<SmallDisk> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-disk-'));
  const mount = `mount -t tmpfs -o ${DISK} tmpfs "$0" && exec "$@"`;
  const program = [process.execPath, '--import', 'tsx', 'tests/integration/small-disk-process.ts', dataDir];
  const child = spawn('unshare', [...apart(), 'sh', '-c', mount, dataDir, ...program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the process on the small disk ended');
    return String(value);
  };
  const tell = async (command: string): Promise<void> => {
    child.stdin.write(`${command}\n`);
    await next();
  };
  return {
    base: await next(),
    fill: () => tell('fill'),
    free: () => tell('free'),
    stop: async () => {
      child.stdin.end();
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Whether this system lets its user mount anything at all. */
function canMount(): boolean {
  return spawnSync('unshare', [...apart(), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' }).status === 0;
}

/** A namespace of mounts; an ordinary user needs one of users around it. */
function apart(): string[] {
  return process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-current-user', '--keep-caps', '--mount'];
}

/** Where nothing can be mounted the condition is played, and the error is Postgres's own. */
async function startOnPlayedDisk(): Promise<SmallDisk> {
  const own = await startTestDatabase();
  const edge = await startEdge(own.postgres.connection);
  const owner = connectDatabase(own.postgres.connection, 1, 'test');
  await owner.unsafe(`create function no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  return {
    base: edge.base,
    fill: async () =>
      void (await owner.unsafe('create trigger no_space before insert on attempt for each row execute function no_space()')),
    free: async () => void (await owner.unsafe('drop trigger no_space on attempt')),
    stop: async () => {
      await owner.end({ timeout: 1 });
      await edge.stop();
      await own.stop();
    },
  };
}
