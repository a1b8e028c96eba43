import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BACKOFF_MS_MIN = 250;
const BACKOFF_MS_MAX = 10_000;
const HEALTHY_MS = 30_000;
const STOP_MS = 5_000;
const SOCKET_PATH_BYTES_MAX = 103;

/** Variables that rendering needs; credentials of the database and the proxy are not among them. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ', 'NODE_OPTIONS', 'NO_COLOR'];

/** Where the renderer listens, in the words of `http.request`. */
export type RendererAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** The page renderer, kept running: a process of its own, so that no page delays intake or the proxy. */
export class RendererProcess {
  #child: ChildProcess | null = null;
  #address: RendererAddress | null = null;
  #stopping = new AbortController();
  #waiting = new Set<() => void>();
  readonly #running: Promise<void>;

  constructor(
    private readonly dataDir: string,
    private readonly mode: 'production' | 'dev',
    private readonly log: (line: string) => void,
  ) {
    this.#running = this.#keepRunning();
  }

  /** The address now; null while the renderer is starting or down. */
  address(): RendererAddress | null {
    return this.#address;
  }

  /** Waits at most `timeoutMs` for an address; null when none came. */
  async whenListening(timeoutMs: number): Promise<RendererAddress | null> {
    if (this.#address !== null) return this.#address;
    let wake = (): void => undefined;
    const listening = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.add(wake);
    });
    const timer = setTimeout(wake, timeoutMs);
    await listening;
    clearTimeout(timer);
    this.#waiting.delete(wake);
    return this.#address;
  }

  /** Ends the process: asked to first, forced after 5 s. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const force = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_MS);
    this.#child?.kill('SIGTERM');
    for (const wake of this.#waiting) wake();
    await this.#running;
    clearTimeout(force);
    rmSync(this.#socketPath(), { force: true });
  }

  /** Ends the process at once; for the last moments of this one. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async #keepRunning(): Promise<void> {
    let backoffMs = BACKOFF_MS_MIN;
    while (!this.#stopping.signal.aborted) {
      const since = performance.now();
      const reason = await this.#runOnce();
      this.#address = null;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > HEALTHY_MS) backoffMs = BACKOFF_MS_MIN;
      this.log(`the page renderer ended (${reason}); restarting it`);
      await pause(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX);
    }
  }

  /** Runs one process until it ends; answers why it did. */
  #runOnce(): Promise<string> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const child = fork(fileURLToPath(new URL(`./renderer.${extension}`, import.meta.url)), [this.#socketAddress(), this.mode], {
      env: rendererEnvironment(this.mode),
      // From its sources, the child needs the loader that this process registered for itself.
      execArgv: extension === 'ts' ? ['--import', 'tsx'] : process.execArgv,
    });
    this.#child = child;
    yieldToUs(child.pid);
    child.on('message', (message: unknown) => {
      this.#address = decodeAddress(message);
      for (const wake of this.#waiting) wake();
    });
    return new Promise((resolve) => {
      child.once('error', (cause) => resolve(cause.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  }

  #socketPath(): string {
    return join(this.dataDir, 'renderer.sock');
  }

  /** A socket beside the data where its path fits an address, else nothing: a loopback port. */
  #socketAddress(): string {
    const path = this.#socketPath();
    return process.platform !== 'win32' && Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX ? path : '';
  }
}

/** Where cores are few, a page that is rendered gives way to events that are relayed and records that are taken in. */
function yieldToUs(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A system that does not allow it renders at the same priority.
  }
}

function rendererEnvironment(mode: 'production' | 'dev'): NodeJS.ProcessEnv {
  const kept = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return { ...Object.fromEntries(kept), NODE_ENV: mode === 'dev' ? 'development' : 'production', NEXT_TELEMETRY_DISABLED: '1' };
}

function decodeAddress(message: unknown): RendererAddress | null {
  if (typeof message !== 'object' || message === null || !('listening' in message)) return null;
  const { listening } = message;
  if (typeof listening !== 'object' || listening === null) return null;
  if ('path' in listening && typeof listening.path === 'string') return { socketPath: listening.path };
  if ('port' in listening && typeof listening.port === 'number') return { host: '127.0.0.1', port: listening.port };
  return null;
}
