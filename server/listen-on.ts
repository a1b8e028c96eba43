import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An earlier run that was killed together with its terminal needs a moment to let its port go. */
const TAKEN_MS = 5_000;
const RETRY_MS = 200;

/**
 * Listens on `host` and `port` (0: the system chooses) and answers the URL. A port that is taken is tried for
 * 5 s; then it rejects with what to do.
 */
export async function listenOn(server: Server, host: string, port: number, log: (line: string) => void): Promise<string> {
  const deadline = performance.now() + TAKEN_MS;
  let told = false;
  for (;;) {
    const problem = await tryListen(server, host, port);
    if (problem === null) break;
    if (problem.code !== 'EADDRINUSE') throw problem;
    if (performance.now() >= deadline) throw new Error(`port ${port} on ${host} is taken: stop its owner, or set PORT to another one`);
    if (!told) log(`waiting for port ${port}, which is taken`);
    told = true;
    await pause(RETRY_MS);
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`;
}

async function tryListen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return null;
  } catch (cause) {
    if (cause instanceof Error) return cause;
    throw cause;
  }
}
