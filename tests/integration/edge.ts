import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseAddress } from '@/db/connect';
import { headLimit } from '@/server/head-limit';
import { openServices, type Services, type ServicesConfig, type ServicesDeps } from '@/server/services';

/** Services behind a real HTTP server on a loopback port that the system chose. */
export interface Edge {
  readonly base: string;
  readonly services: Services;
  readonly server: Server;
  readonly stop: () => Promise<void>;
}

export const TEST_SECRET = new TextEncoder().encode('a secret of thirty-two bytes, at least');

export async function startEdge(
  database: DatabaseAddress,
  deps: Partial<ServicesDeps> = {},
  config: Partial<ServicesConfig> = {},
  limits: { readonly headMs?: number } = {},
): Promise<Edge> {
  const unexpected: unknown[] = [];
  const services = await openServices(
    { database, secret: TEST_SECRET, auth: 'off', ...config },
    {
      log: (_level, _message, fields) => {
        unexpected.push(fields?.['cause']);
        if (process.env['VERBOSE'] !== undefined) console.error(fields);
      },
      ...deps,
    },
  );
  const server = createServer(headLimit(limits.headMs), (request, response) => {
    void services.handle(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(404).end('page');
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (!services.upgrade(request, socket, head)) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    services,
    server,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await services.close();
      await closed;
    },
  };
}
