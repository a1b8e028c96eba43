import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire to Redis that can be cut while Redis itself runs on. What is on its way then never arrives. */
export interface RedisWire {
  readonly url: string;
  readonly cut: () => void;
  readonly mend: () => void;
  /** Cut as soon as Redis took what holds this text: it does as it was told, and nobody hears of it. */
  readonly cutAfter: (text: string) => void;
  readonly stop: () => Promise<void>;
}

/** `delayMs`: how long what is asked is on its way. */
export async function redisWire(redisUrl: string, delayMs = 0): Promise<RedisWire> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let last: string | null = null;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const wire = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        socket.destroy();
        onward.destroy();
      });
    }
    if (isCut) socket.destroy();
    let isLast = false;
    const pass = (chunk: Buffer) => {
      if (isCut || isLast) return;
      isLast = last !== null && chunk.includes(last);
      onward.write(chunk);
    };
    socket.on('data', (chunk) => (delayMs === 0 ? pass(chunk) : setTimeout(() => pass(chunk), delayMs)));
    onward.on('data', (chunk) => (isLast ? cut() : socket.write(chunk)));
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false;
    },
    cutAfter: (text) => {
      last = text;
    },
    stop: async () => {
      cut();
      await new Promise((resolve) => wire.close(resolve));
    },
  };
}
