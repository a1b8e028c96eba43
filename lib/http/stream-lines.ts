import type { IncomingMessage } from 'node:http';

/** Runs work for a caller; its signal is aborted when the caller's connection closes before the work is done. */
export async function whileConnected<T>({ socket }: IncomingMessage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  if (socket.destroyed) gone.abort();
  socket.once('close', onClose);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', onClose);
  }
}

/**
 * What a job says, one JSON line each: `{"progress":…}` as it goes, then `{"answer":…}`, or `{"error":…}` where it
 * failed on the way.
 *
 * @throws what the job throws before it has said anything
 */
export async function* jobLines(
  start: (tell: (progress: unknown) => void) => Promise<string>,
  errorBody: (cause: unknown) => unknown,
): AsyncGenerator<string> {
  const lines: string[] = [];
  let wake = (): void => undefined;
  let end: { readonly line: string } | { readonly cause: unknown } | null = null;
  const finish = (how: NonNullable<typeof end>): void => {
    end = how;
    wake();
  };
  const tell = (progress: unknown): void => {
    lines.push(`${JSON.stringify({ progress })}\n`);
    wake();
  };
  start(tell).then(
    (answer) => finish({ line: `{"answer":${answer}}\n` }),
    (cause: unknown) => finish({ cause }),
  );
  let isBegun = false;
  for (;;) {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      isBegun = true;
      yield line;
    }
    const over = end as { readonly line: string } | { readonly cause: unknown } | null;
    if (over !== null) {
      if ('line' in over) yield over.line;
      else if (isBegun) yield `${JSON.stringify(errorBody(over.cause))}\n`;
      else throw over.cause;
      return;
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
