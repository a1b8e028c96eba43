/**
 * The connection was lost, could not be made or gave no answer in time: whether a commit that was under way took effect is not
 * known.
 */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  readonly code = 'connection_lost';
}

/** The time that the caller itself gave was over: the connection is given up. */
export class DeadlineError extends ConnectionLostError {}

/**
 * The outcome of `work`, unless it takes longer.
 *
 * @param onLate called when the time is over, to end what `work` waits for
 * @throws DeadlineError when the time is over; whatever `work` throws
 */
export function within<T>(msMax: number, work: Promise<T>, onLate: () => void = () => undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DeadlineError(`the database did not answer within ${msMax / 1000} s`));
      onLate();
    }, msMax);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
