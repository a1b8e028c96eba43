import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { freePort } from '@/demo/children/free-port';

/** A way by TCP to something that listens, which a test can cut and open again. */
export interface CutLine {
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function cutLineTo(behindIt: NetConnectOpts): Promise<CutLine> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(behindIt);
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
  const port = await freePort();
  await listen(port);
  return {
    port,
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(port),
  };
}
