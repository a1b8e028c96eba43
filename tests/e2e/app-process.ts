import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@/lib/postgres/until';

const START_MS = 180_000;
const SERVER = [process.execPath, 'dist/server/main.js'] as const;

/** The built app as a process of its own, on a port that the system chose, with an embedded database. */
export interface AppProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Everything that it printed so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Settles with the exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

export interface AppOptions {
  /** A folder to use again; the default is a fresh one. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is run; the default is the built server without npm. */
  readonly command?: readonly [string, ...string[]];
}

export const freshDataDir = (): string => mkdtempSync(join(tmpdir(), 'tidemark app '));

/** Starts the app and waits until it says that it is ready; rejects with its output when it ends before. */
export async function startApp({ dataDir = freshDataDir(), env = {}, command = SERVER }: AppOptions = {}): Promise<AppProcess> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_ENV: 'production', PORT: '0', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = exitCode(child);
  const isReady = (): boolean => /ready on (\S+)/.test(output);
  await Promise.race([until(isReady, START_MS), exited]);
  const url = /ready on (\S+)/.exec(output)?.[1];
  if (url === undefined) {
    child.kill('SIGKILL');
    throw new Error(`the app did not start:\n${output}`);
  }
  return { url, pid: child.pid ?? 0, dataDir, output: () => output, kill: (signal) => child.kill(signal), exited };
}

/** Stops the app and removes its data; a test's last step. */
export async function disposeApp(app: AppProcess): Promise<void> {
  app.kill('SIGTERM');
  await app.exited;
  rmSync(app.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
