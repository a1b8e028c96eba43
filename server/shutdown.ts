import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from './services';

/** Everything together has this long; the embedded database alone may need most of it. */
const STOP_MS = 45_000;
const SERVICES_MS = 15_000;
const IN_FLIGHT_MS = 3_000;
/** A terminal's Ctrl-C arrives twice, from the terminal and through npm; only a later one is a second wish. */
const SAME_WISH_MS = 1_000;

/** Stops accepting, lets the services commit and end their streams, then closes what is still open. */
export async function drain(server: Server, services: Services | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (services !== undefined) await Promise.race([services.close(), pause(SERVICES_MS, undefined, { ref: false })]);
  server.closeIdleConnections();
  const finished = await Promise.race([closed.then(() => true), pause(IN_FLIGHT_MS, false, { ref: false })]);
  if (!finished) server.closeAllConnections();
}

/**
 * Runs `stop` once on SIGINT, SIGTERM, SIGHUP or the end of the process that started this one, and exits with 0. A
 * second signal, or 45 s, ends the process at once with 1.
 */
export function onStop(stop: () => Promise<void>, log: (line: string) => void): void {
  let since: number | null = null;
  const begin = (reason: string): void => {
    if (since !== null) {
      if (performance.now() - since < SAME_WISH_MS) return;
      log(`${reason} again: ending at once`);
      process.exit(1);
    }
    since = performance.now();
    log(`${reason}: stopping`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stop().then(
      () => {
        log('stopped');
        process.exit(0);
      },
      (cause: unknown) => {
        log(`stopping failed: ${cause instanceof Error ? cause.message : String(cause)}`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => begin(signal));
  process.on('disconnect', () => begin('the starting process ended'));
}
