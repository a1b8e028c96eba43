import { setTimeout as pause } from 'node:timers/promises';
import { DriveProblem } from '@/lib/drive/drive-problem';
import { closeSession, connect, type DrivenConn, openSession } from '@/lib/drive/mcp-wire';
import type { DrivePlan, DriveStep } from '@/lib/drive/plan';

export interface DriveOptions {
  readonly target: URL;
  /** How much faster than recorded. */
  readonly speed: number;
  /** Requests a second at most. */
  readonly rate: number;
  /** Sent with every request, such as an authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onResume?: (resume: DrivenResume) => void;
  /** Told after every step. */
  readonly onStep?: (done: number) => void;
  /** Ends the drive before its next request. */
  readonly signal?: AbortSignal;
}

type ResumeStep = Extract<DriveStep, { kind: 'resume' }>;

/** A recorded resume beside what the target did with it now. */
export interface DrivenResume {
  readonly index: number;
  readonly recorded: ResumeStep['recorded'];
  readonly rules: ResumeStep['rules'];
  /** The cursor that was sent: the target's own id of the same event where it had sent as many, else the recorded one. */
  readonly sent: string;
  readonly isRecordedCursor: boolean;
  readonly actual: { readonly verdict: 'resumed' | 'refused' | 'failed'; readonly status: number | null; readonly code: number | null };
}

/** No recorded pause is waited for longer. */
const PAUSE_MS_MAX = 60_000;
const SESSIONS_MAX = 200;
/** Codes with which a stream says in its first event that it does not resume. */
const REFUSALS: ReadonlySet<number | null> = new Set([-32010, -32011, -32012, -32001]);

interface DrivenSession {
  readonly token: string | null;
  readonly ids: string[];
}

/**
 * Does again what the clients of a history did, against a live target: opens their sessions, drops their streams and
 * comes back with their cursors. Sessions are ended afterwards. No tool is called.
 *
 * @throws DriveProblem when the target opens no session; the reason of the signal when it is aborted
 */
export async function drive({ steps }: DrivePlan, options: DriveOptions): Promise<DrivenResume[]> {
  const run = new Drive(options);
  const resumes: DrivenResume[] = [];
  try {
    for (const [place, step] of steps.entries()) {
      await run.pause(step.waitMs);
      const resume = await run.take(step);
      options.onStep?.(place + 1);
      if (resume === null) continue;
      resumes.push(resume);
      options.onResume?.(resume);
    }
    return resumes;
  } finally {
    await run.end();
  }
}

class Drive {
  readonly #options: DriveOptions;
  readonly #sessions = new Map<string, DrivenSession>();
  readonly #conns = new Map<string, DrivenConn>();
  #earliest = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
  }

  /** The recorded pause, compressed. */
  pause(ms: number): Promise<void> {
    return sleep(Math.min(ms / this.#options.speed, PAUSE_MS_MAX), this.#options.signal);
  }

  async take(step: DriveStep): Promise<DrivenResume | null> {
    if (step.kind === 'close') {
      this.#conns.get(step.conn)?.abort.abort();
      this.#conns.delete(step.conn);
      return null;
    }
    const session = await this.#session(step.session);
    if (step.kind === 'open') {
      await this.#connect(step.conn, session, {});
      return null;
    }
    const own = step.received === null ? undefined : session.ids[step.received - 1];
    const sent = own ?? step.lastEventId;
    const conn = await this.#connect(step.conn, session, { 'last-event-id': sent });
    await conn.settled;
    return {
      index: step.index,
      recorded: step.recorded,
      rules: step.rules,
      sent,
      isRecordedCursor: own === undefined,
      actual: actualOf(conn),
    };
  }

  async end(): Promise<void> {
    for (const conn of this.#conns.values()) conn.abort.abort();
    for (const { token } of this.#sessions.values()) {
      if (token !== null) await closeSession(this.#options.target, { ...this.#options.headers, 'mcp-session-id': token });
    }
  }

  async #session(name: string): Promise<DrivenSession> {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    if (this.#sessions.size >= SESSIONS_MAX) throw new DriveProblem(`the history has more than ${SESSIONS_MAX} sessions`);
    await this.#turn();
    const session = { token: await openSession(this.#options.target, this.#options.headers ?? {}), ids: [] };
    this.#sessions.set(name, session);
    return session;
  }

  async #connect(name: string, { token, ids }: DrivenSession, headers: Readonly<Record<string, string>>): Promise<DrivenConn> {
    await this.#turn();
    this.#conns.get(name)?.abort.abort();
    const all = { ...this.#options.headers, ...(token === null ? {} : { 'mcp-session-id': token }), ...headers };
    const conn = await connect(this.#options.target, all, (id) => {
      if (!ids.includes(id)) ids.push(id);
    });
    this.#conns.set(name, conn);
    return conn;
  }

  /** Waits until the rate allows another request. */
  async #turn(): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#earliest);
    this.#earliest = start + 1000 / this.#options.rate;
    await sleep(start - now, this.#options.signal);
  }
}

function actualOf(conn: DrivenConn): DrivenResume['actual'] {
  const { status } = conn;
  const code = conn.code();
  if (status === null) return { verdict: 'failed', status, code };
  return { verdict: status === 200 && !REFUSALS.has(code) ? 'resumed' : 'refused', status, code };
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  await pause(ms, undefined, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw cause;
  });
}
