import { setImmediate } from 'node:timers/promises';
import type { Result } from '@/lib/base/result';
import { type Batch, type BatchProblem, jsonBatchSteps } from '@/lib/intake/batch-text';

/** Reads a JSON body as `parseJsonBatch` does, a slice per turn of the event loop, so that others are served while a large one is read. */
export async function readJsonBatch(text: string): Promise<Result<Batch, BatchProblem>> {
  const steps = jsonBatchSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
