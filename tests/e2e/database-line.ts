import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from '@/tests/integration/database';

/** A way to the database's socket by TCP that a test can cut and open again. */
export interface DatabaseLine {
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function lineTo(database: TestDatabase): Promise<DatabaseLine> {
  const { host, port: numbered, user, database: name } = database.postgres.connection;
  const path = join(host, `.s.PGSQL.${numbered}`);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(path);
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    client.on('close', () => behind.destroy()).pipe(behind);
    behind.on('close', () => client.destroy()).pipe(client);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${name}`,
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
  };
}
