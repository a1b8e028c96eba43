import { createServer } from 'node:net';

/** Below the ports that the system gives away by itself, and a stretch for each process. */
const FIRST = 10_100;
const PER_PROCESS = 100;
const STRETCHES = 218;

const first = FIRST + (process.pid % STRETCHES) * PER_PROCESS;
let taken = 0;

/**
 * A port of loopback on which nobody listens, for a server that another process opens or that is closed and opened
 * again. Of the system's own choice it would be given to somebody else meanwhile.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PER_PROCESS; tries++) {
    const port = first + (taken++ % PER_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${first} on`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
