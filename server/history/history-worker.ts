import { parentPort, workerData } from 'node:worker_threads';
import { connectDatabase } from '@/db/connect';
import { codedError } from '@/server/coded-error';
import type { HistoryJob, JobReply, WorkerSetup } from '@/server/history/job';
import { HistoryDesk } from '@/server/history/run-job';

// Given by the pool, which is the only one that starts this file.
const { database, secret } = workerData as WorkerSetup;
const sql = connectDatabase(database, 1, 'histories');
const desk = new HistoryDesk(sql, secret);
const say = (reply: JobReply): void => parentPort?.postMessage(reply);

parentPort?.on('message', (job: HistoryJob | 'close') => {
  if (job === 'close') {
    void sql.end({ timeout: 5 }).finally(() => parentPort?.close());
    return;
  }
  desk
    .run(job, (value) => say({ kind: 'progress', value }))
    .then(
      (value) => say({ kind: 'done', value }),
      (cause: unknown) => say(failureOf(cause)),
    );
});

/** An error does not cross to another thread as it is: what callers are told of it does. */
function failureOf(cause: unknown): JobReply {
  const coded = codedError(cause);
  if (coded === null) return { kind: 'failed', message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
  const { message, path, next_step: nextStep } = coded.body.error;
  return {
    kind: 'refused',
    failure: {
      code: coded.code,
      message,
      headers: coded.headers,
      ...(path === undefined ? {} : { path }),
      ...(nextStep === undefined ? {} : { nextStep }),
    },
  };
}
