import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a database that can hold one answer back, and whatever follows it on its connection. */
export interface HoldingWay {
  readonly port: number;
  /** Holds the next answer back; resolves when it has come. */
  readonly hold: () => Promise<void>;
  readonly release: () => void;
  readonly close: () => void;
}

export async function openHoldingWay({ host, port }: { readonly host: string; readonly port: number }): Promise<HoldingWay> {
  const open = new Set<Socket>();
  let onHeld: (() => void) | null = null;
  let heldOn: Socket | null = null;
  let held: (() => void)[] = [];
  const server = createServer((asking) => {
    const answering = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    asking.pipe(answering);
    answering.on('data', (chunk: Buffer) => {
      if (onHeld !== null) {
        heldOn = answering;
        onHeld();
        onHeld = null;
      }
      if (heldOn === answering) held.push(() => asking.write(chunk));
      else asking.write(chunk);
    });
    for (const socket of [asking, answering]) open.add(socket.on('error', () => socket.destroy()));
    asking.on('close', () => answering.destroy());
    answering.on('close', () => asking.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hold: () =>
      new Promise((resolve) => {
        onHeld = resolve;
      }),
    release: () => {
      heldOn = null;
      for (const pass of held) pass();
      held = [];
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
