import { type ChildProcess, spawn } from 'node:child_process';

const START_TIMEOUT_MS = 30_000;
const KILL_AFTER_MS = 2000;

/** A child of the demo, known by its process id alone. */
export interface Child {
  /** What the line that announced it said. */
  readonly announced: RegExpMatchArray;
  /** Ends it: asked first, killed after two seconds. */
  stop(): Promise<void>;
}

/**
 * Starts a Node program and resolves with the first line of its output that matches. Both output streams are read
 * and dropped, so that the child can never block on them.
 *
 * @throws Error when it ends, or says nothing fitting for 30 seconds.
 */
export async function startChild(args: readonly string[], env: Record<string, string>, announces: RegExp): Promise<Child> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    return { announced: await announcement(child, announces, args), stop: () => stop(child, ended) };
  } catch (cause) {
    await stop(child, ended);
    throw cause;
  }
}

function announcement(child: ChildProcess, announces: RegExp, args: readonly string[]): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${args.join(' ')} did not start in ${START_TIMEOUT_MS / 1000} s`)), START_TIMEOUT_MS);
    let output = '';
    const read = (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-4000);
      const match = announces.exec(output);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${args.join(' ')} ended with ${code}: ${output.slice(-500)}`));
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  await ended;
  clearTimeout(timer);
}
