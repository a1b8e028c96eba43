import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the app whose address stays while the app behind it is started anew, and that can be cut. */
export interface CuttableWay {
  readonly url: string;
  /** Where new connections lead; null refuses them. */
  lead(base: string | null): void;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function openWay(): Promise<CuttableWay> {
  const open = new Set<Socket>();
  let target: number | null = null;
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
  };
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((inner) => {
    keep(inner);
    if (target === null) {
      inner.destroy();
      return;
    }
    const outer = keep(connect(target, '127.0.0.1'));
    inner.pipe(outer).pipe(inner);
    inner.once('close', () => outer.destroy());
    outer.once('close', () => inner.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (base) => {
      target = base === null ? null : Number(new URL(base).port);
    },
    cut,
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
