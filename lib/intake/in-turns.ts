import { setImmediate } from 'node:timers/promises';

/** Takes one step per turn of the event loop, so that others are served between them; answers with what the steps return. */
export async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
