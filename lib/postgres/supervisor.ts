import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { findBinaries, type ProgramSource } from './binaries';
import { clusterPassword, ensureCluster, SUPERUSER } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { stopOrphans } from './orphans';
import { takeOwnership } from './owner-lock';
import { type Postmaster, type ServerPlace, startPostmaster } from './postmaster';
import { runIdentity } from './run-identity';
import { readLockFile } from './server-processes';
import { chooseSocketDir, removeTemporarySocketDir, SOCKET_PORT } from './socket-dir';

const DATABASE = 'tidemark';
const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 10_000;
/** A server that ran this long was healthy: its next crash starts the back-off anew. */
const HEALTHY_MS = 60_000;

/** What a client needs to connect; fits the options of the `postgres` package. `host` is a directory for a unix socket. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

export interface EmbeddedPostgresOptions extends ProgramSource {
  /** State folder; the cluster is its subfolder `postgres`. Default `.data`. */
  readonly dataDir?: string;
  /** Receives one line per event worth an operator's eye. */
  readonly log?: (line: string) => void;
}

/** A running embedded server. `connection` stays the same when the server is restarted after a crash. */
export interface EmbeddedPostgres {
  readonly connection: PostgresConnection;
  /** The server's process id now; null while it is being restarted. */
  pid(): number | null;
  /** Ends the server with a fast shutdown and gives the data directory free; safe to repeat. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL from the npm-shipped programs under `dataDir` and keeps it running: creates the cluster
 * and the database when they are missing, stops a server that a killed run left behind, restarts a crashed one with
 * back-off (0.2 s … 10 s). Works as root (the server then runs as `nobody`) and as an ordinary user. Rejects with an
 * `EmbeddedPostgresError`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  const dataDir = resolve(options.dataDir ?? '.data');
  const release = await takeOwnership(dataDir, log);
  try {
    const place = await preparePlace(dataDir, options, log);
    const first = await startPostmaster(place, log);
    const connection = connectionOf(place);
    try {
      await ensureDatabase(connection);
    } catch (cause) {
      await first.stop();
      throw cause;
    }
    return new Supervisor(place, connection, first, log, release);
  } catch (cause) {
    await release();
    throw cause;
  }
}

class Supervisor implements EmbeddedPostgres {
  readonly #stopping = new AbortController();
  readonly #watch: Promise<void>;
  #current: Postmaster | null;
  #stopped: Promise<void> | null = null;

  constructor(
    private readonly place: ServerPlace,
    readonly connection: PostgresConnection,
    first: Postmaster,
    private readonly log: (line: string) => void,
    private readonly release: () => Promise<void>,
  ) {
    this.#current = first;
    this.#watch = this.#keepRunning(first);
  }

  pid(): number | null {
    return this.#current?.pid ?? null;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.stop();
    await this.#watch;
    removeTemporarySocketDir(this.place.socketDir);
    await this.release();
  }

  async #keepRunning(first: Postmaster): Promise<void> {
    let server: Postmaster | null = first;
    let backoffMs = BACKOFF_MS_MIN;
    while (server !== null) {
      const since = performance.now();
      const reason = await server.exited;
      this.#current = null;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > HEALTHY_MS) backoffMs = BACKOFF_MS_MIN;
      this.log(`the database server ended (${reason}); restarting it`);
      [server, backoffMs] = await this.#restart(backoffMs);
    }
  }

  /** Tries until the server is up again; null when a stop was asked for meanwhile. */
  async #restart(firstBackoffMs: number): Promise<[Postmaster | null, number]> {
    let backoffMs = firstBackoffMs;
    for (;;) {
      await pause(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return [null, backoffMs];
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX);
      try {
        // The children of a killed server need a moment to end, and its shared memory must be gone before a new start.
        await stopOrphans(this.place.pgdata, this.log);
        const server = await startPostmaster(this.place, this.log);
        if (this.#stopping.signal.aborted) {
          await server.stop();
          return [null, backoffMs];
        }
        this.#current = server;
        this.log('the database server is up again');
        return [server, backoffMs];
      } catch (cause) {
        this.log(`the database server cannot be restarted yet: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
    }
  }
}

async function preparePlace(dataDir: string, source: ProgramSource, log: (line: string) => void): Promise<ServerPlace> {
  const pgdata = join(dataDir, 'postgres');
  checkOwner(pgdata);
  const identity = runIdentity(pgdata);
  const binaries = findBinaries(dataDir, identity, source);
  ensureCluster(pgdata, binaries, identity);
  const leftover = readLockFile(pgdata);
  await stopOrphans(pgdata, log);
  if (leftover !== null) removeTemporarySocketDir(leftover.socketDir);
  const port = process.platform === 'win32' ? await freePort() : SOCKET_PORT;
  return { pgdata, socketDir: chooseSocketDir(pgdata, identity), port, binaries, identity };
}

function connectionOf(place: ServerPlace): PostgresConnection {
  const password = clusterPassword(place.pgdata);
  if (password !== null) return { host: '127.0.0.1', port: place.port, user: SUPERUSER, database: DATABASE, password };
  return { host: place.socketDir, port: place.port, user: SUPERUSER, database: DATABASE };
}

async function ensureDatabase(connection: PostgresConnection): Promise<void> {
  const sql = postgres({ ...connection, database: 'postgres', max: 1, connect_timeout: 30, onnotice: () => undefined });
  try {
    const found = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (found.length === 0) await sql`create database ${sql(DATABASE)}`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function checkOwner(pgdata: string): void {
  const uid = process.getuid?.();
  const owner = statSync(pgdata, { throwIfNoEntry: false })?.uid;
  if (uid === undefined || uid === 0 || owner === undefined || owner === uid) return;
  throw new EmbeddedPostgresError(
    'postgres_data_dir_owner',
    `${pgdata} belongs to user id ${owner}, this process runs as ${uid}`,
    'start as that user (or as root if root started it before), or set DATA_DIR to a folder of your own',
  );
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? done(address.port) : fail(new Error('no port'))));
    });
  });
}
