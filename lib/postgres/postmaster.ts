import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Binaries } from './binaries';
import { dataDirArgument, serverEnvironment } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { RunIdentity } from './run-identity';
import { SOCKET_PORT } from './socket-dir';

/** Crash recovery replays the log before the server is ready; even a full one is done well inside this. */
const READY_MS = 600_000;
const FAST_STOP_MS = 30_000;
const TAIL_LINES_MAX = 20;

export interface ServerPlace {
  readonly pgdata: string;
  readonly socketDir: string;
  /** 5432 behind a private socket; a free loopback port on Windows. */
  readonly port: number;
  readonly binaries: Binaries;
  readonly identity: RunIdentity;
}

/** A server that accepts connections: `exited` settles with the reason when it ends, `stop` ends it with a fast shutdown. */
export interface Postmaster {
  readonly pid: number;
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Starts one server process and resolves when it accepts connections; rejects with its last words when it ends before. */
export async function startPostmaster(place: ServerPlace, log: (line: string) => void): Promise<Postmaster> {
  const child = spawn(join(place.binaries.binDir, 'postgres'), serverArguments(place), {
    ...place.identity,
    cwd: place.pgdata,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C in the terminal must not stop the database before the app has drained.
    detached: process.platform !== 'win32',
  });
  const tail: string[] = [];
  const exited = exitReason(child, tail);
  await ready(child, exited, tail, log);
  return { pid: child.pid ?? 0, exited, stop: () => stopServer(child, exited, place) };
}

function serverArguments({ pgdata, socketDir, port, identity, binaries }: ServerPlace): string[] {
  const argument = dataDirArgument(pgdata, identity, binaries);
  const socket = socketDir === pgdata ? argument : socketDir;
  const settings =
    process.platform === 'win32'
      ? ['listen_addresses=127.0.0.1', `port=${port}`]
      : ['listen_addresses=', `port=${SOCKET_PORT}`, `unix_socket_directories=${socket}`, 'unix_socket_permissions=0700'];
  const common = ['timezone=UTC', 'log_timezone=UTC', 'max_wal_size=2GB', 'max_connections=60', 'logging_collector=off'];
  return ['-D', argument, ...[...settings, ...common].flatMap((setting) => ['-c', setting])];
}

function exitReason(child: ChildProcess, tail: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(cause.message));
    child.once('exit', (code, signal) => resolve(`${signal ?? `exit code ${code}`}${tail.length === 0 ? '' : `: ${tail.at(-1)}`}`));
  });
}

async function ready(child: ChildProcess, exited: Promise<string>, tail: string[], log: (line: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const accepting = new Promise<null>((resolve) => {
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES_MAX) tail.shift();
      if (line.includes('ready to accept connections')) resolve(null);
      else if (/ (WARNING|FATAL|PANIC): |automatic recovery|redo (starts|done)/.test(line)) log(`postgres: ${line}`);
    });
  });
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not ready after ${READY_MS / 1000} s`), READY_MS);
  });
  const failure = await Promise.race([accepting, exited, late]);
  clearTimeout(timer);
  if (failure === null) return;
  child.kill('SIGQUIT');
  throw new EmbeddedPostgresError(
    'postgres_start_failed',
    `the database server did not start: ${failure}\n  ${tail.join('\n  ')}`,
    'read the server messages above; DATABASE_URL points Tidemark at another server',
  );
}

async function stopServer(child: ChildProcess, exited: Promise<string>, place: ServerPlace): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === 'win32') {
    spawnSync(join(place.binaries.binDir, 'pg_ctl'), ['-D', place.pgdata, '-m', 'fast', '-w', 'stop'], { timeout: FAST_STOP_MS });
  } else child.kill('SIGINT');
  const immediate = setTimeout(() => child.kill('SIGQUIT'), FAST_STOP_MS);
  await exited;
  clearTimeout(immediate);
}
