/**
 * The process that renders pages. It listens on the address it is given (a socket path, or nothing for a loopback port of
 * the system's choice), tells its parent where, and ends when the parent ends.
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import next from 'next';

const [address = '', mode = ''] = process.argv.slice(2);
const app = next({ dev: mode === 'dev', dir: process.cwd(), quiet: true });

// The parent alone decides when pages stop: a Ctrl-C reaches every process of the terminal.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

await app.prepare();
const handle = app.getRequestHandler();
const server = createServer((request, response) => {
  handle(request, response).catch((cause: unknown) => {
    console.error(`page ${request.url}: ${cause instanceof Error ? cause.stack : String(cause)}`);
    response.destroy();
  });
});
server.keepAliveTimeout = 0;
if (mode === 'dev') server.on('upgrade', app.getUpgradeHandler());
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});

if (address === '') server.listen(0, '127.0.0.1', announce);
else {
  rmSync(address, { force: true });
  server.listen(address, announce);
}

function announce(): void {
  const bound = server.address();
  process.send?.({ listening: typeof bound === 'object' && bound !== null ? { port: bound.port } : { path: bound } });
}
