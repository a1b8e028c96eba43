import { Worker } from 'node:worker_threads';
import { HttpError } from '@/lib/http/http-error';
import type { HistoryJob, JobReply, WorkerSetup } from '@/server/history/job';

export interface JobOptions {
  /** Told of progress, for jobs that tell it. */
  readonly onProgress?: (value: unknown) => void;
  /** Ends the job: its worker is stopped amid whatever it does. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly job: HistoryJob;
  readonly options: JobOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

interface Seat {
  readonly worker: Worker;
  task: Waiting | null;
  timer: NodeJS.Timeout | null;
}

const WAITING_MAX = 32;
const JOB_MS_MAX = 60_000;

/**
 * Threads for work over whole histories, started when there is work. One job at a time each; what waits is bounded,
 * and a job that is called off or takes too long ends with its thread.
 */
export class HistoryPool {
  readonly #setup: WorkerSetup;
  readonly #size: number;
  #seats: Seat[] = [];
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(setup: WorkerSetup, size = 2) {
    this.#setup = setup;
    this.#size = size;
  }

  /**
   * Runs a job.
   *
   * @throws HttpError as the job refuses; `busy` when too many wait, `job_timeout` when it takes too long.
   */
  run(job: HistoryJob, options: JobOptions = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new HttpError('shutting_down', 'the server is stopping'));
    if (options.signal?.aborted === true) return Promise.reject(calledOff());
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const task: Waiting = { job, options, resolve, reject };
      options.signal?.addEventListener('abort', () => this.#callOff(task), { once: true });
      this.#waiting.push(task);
      this.#assign();
    });
  }

  /** Refuses what waits, lets nothing new in, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new HttpError('shutting_down', 'the server is stopping'));
    await Promise.all(this.#seats.map((seat) => this.#dismiss(seat, new HttpError('shutting_down', 'the server is stopping'))));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const seat = this.#seats.find(({ task }) => task === null) ?? (this.#seats.length < this.#size ? this.#hire() : null);
      if (seat === null) return;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      seat.task = task;
      seat.timer = setTimeout(() => void this.#dismiss(seat, new HttpError('job_timeout', 'the work took too long')), JOB_MS_MAX);
      seat.worker.ref();
      seat.worker.postMessage(task.job);
    }
  }

  #hire(): Seat {
    const worker = startWorker(this.#setup);
    const seat: Seat = { worker, task: null, timer: null };
    worker.unref();
    worker.on('message', (reply: JobReply) => this.#hear(seat, reply));
    worker.on('error', (cause) => void this.#dismiss(seat, cause));
    worker.on('exit', () => void this.#dismiss(seat, new Error('a history worker ended')));
    this.#seats.push(seat);
    return seat;
  }

  #hear(seat: Seat, reply: JobReply): void {
    const { task } = seat;
    if (task === null) return;
    if (reply.kind === 'progress') {
      task.options.onProgress?.(reply.value);
      return;
    }
    release(seat);
    if (reply.kind === 'done') task.resolve(reply.value);
    else if (reply.kind === 'refused') task.reject(refusalOf(reply.failure));
    else task.reject(new Error(reply.message));
    this.#assign();
  }

  #callOff(task: Waiting): void {
    const place = this.#waiting.indexOf(task);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      task.reject(calledOff());
      return;
    }
    const seat = this.#seats.find((candidate) => candidate.task === task);
    if (seat !== undefined) void this.#dismiss(seat, calledOff());
  }

  async #dismiss(seat: Seat, cause: unknown): Promise<void> {
    if (!this.#seats.includes(seat)) return;
    this.#seats = this.#seats.filter((candidate) => candidate !== seat);
    const { task } = seat;
    release(seat);
    task?.reject(cause);
    await seat.worker.terminate();
    this.#assign();
  }
}

function release(seat: Seat): void {
  seat.task = null;
  if (seat.timer !== null) clearTimeout(seat.timer);
  seat.timer = null;
  seat.worker.unref();
}

/** Records live as long as their page: at the default, half of a thread's time goes into copying them from one young space to the next. */
const resourceLimits = { maxYoungGenerationSizeMb: 96 };

/** In the bundle the worker lies beside it as JavaScript; from sources it is loaded as the server itself was. */
function startWorker(workerData: WorkerSetup): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./history-worker.js', import.meta.url), { workerData, resourceLimits });
  const source = JSON.stringify(new URL('./history-worker.ts', import.meta.url).href);
  return new Worker(`import('tsx/esm/api').then(({ register }) => { register(); return import(${source}); });`, {
    eval: true,
    workerData,
    resourceLimits,
  });
}

function refusalOf({ code, message, ...details }: Extract<JobReply, { kind: 'refused' }>['failure']): HttpError {
  return new HttpError(code, message, details);
}

const calledOff = (): HttpError => new HttpError('job_called_off', 'the caller went away');

const tooBusy = (): HttpError => new HttpError('busy', 'too much work over histories is waiting');
