import { createServer } from 'node:http';
import { listen, stopServer } from '@/tests/proxy/start-proxy';

/** Below the ports that the system gives away by itself, and a stretch for each process that runs tests. */
const FIRST = 10_100;
const PER_PROCESS = 100;
const STRETCHES = 218;

const first = FIRST + (process.pid % STRETCHES) * PER_PROCESS;
let taken = 0;

/**
 * A port on which nobody listens, for a server that another process opens or that is closed and opened again. Of the
 * system's own choice it would be given to somebody else meanwhile.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PER_PROCESS; tries++) {
    const port = first + (taken++ % PER_PROCESS);
    const probe = createServer();
    const isFree = await listen(probe, port).then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await stopServer(probe);
    return port;
  }
  throw new Error(`no port is free from ${first} on`);
}
