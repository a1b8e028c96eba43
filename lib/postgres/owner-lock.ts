import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** An owner that was told to stop drains first; only one that keeps on answering is really in the way. */
const HANDOVER_MS = 15_000;
const RETRY_MS = 100;

/**
 * Makes this process the only one that may run a server on `dataDir`; waits up to 15 s for an owner that is
 * stopping. The lock is a listening socket, so the system itself lifts it when its holder is killed.
 */
export async function takeOwnership(dataDir: string, log: (line: string) => void): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true });
  const address = lockAddress(dataDir);
  const deadline = performance.now() + HANDOVER_MS;
  let told = false;
  for (;;) {
    const server = await listen(address.path);
    if (server !== null) return () => release(server, address.directory);
    if (performance.now() >= deadline) break;
    if (await answers(address.path)) {
      if (!told) log(`waiting for another Tidemark on ${dataDir} to stop`);
      told = true;
      await pause(RETRY_MS);
    } else rmSync(address.path, { force: true });
  }
  if (address.directory !== null) closeSync(address.directory);
  throw new EmbeddedPostgresError(
    'postgres_data_dir_busy',
    `another Tidemark is running on ${dataDir}`,
    'stop it, or give this one a DATA_DIR of its own',
  );
}

/** A socket path of any data directory that fits an address: through an open directory on Linux, else by its hash. */
function lockAddress(dataDir: string): { readonly path: string; readonly directory: number | null } {
  const path = join(dataDir, 'owner.sock');
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\tidemark-${digest}`, directory: null };
  if (Buffer.byteLength(path) <= 103) return { path, directory: null };
  if (process.platform !== 'linux') return { path: join(tmpdir(), `tidemark-${digest}.sock`), directory: null };
  const directory = openSync(dataDir, 'r');
  return { path: `/proc/self/fd/${directory}/owner.sock`, directory };
}

function listen(path: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (cause: NodeJS.ErrnoException) => (cause.code === 'EADDRINUSE' ? resolve(null) : reject(cause)));
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function release(server: Server, directory: number | null): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      if (directory !== null) closeSync(directory);
      resolve();
    });
  });
}
