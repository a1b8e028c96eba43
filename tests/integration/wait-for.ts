const TRIES_MAX = 3000;

/** Asks again until the answer holds; the error of the last try otherwise. */
export async function waitFor<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  let last: T | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    last = await ask();
    if (holds(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain; last: ${JSON.stringify(last)?.slice(0, 2000)}`);
}
