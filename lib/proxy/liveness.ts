import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import type { Leg } from '@/lib/proxy/leg';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';

/** The system asks a silent peer after this long whether it is still there. */
const KEEP_ALIVE_MS = 15_000;
/** A client that takes nothing for this long gives way to one that comes back for its stream. */
const GIVES_WAY_MS = 5_000;

/**
 * Watches the client of a response that may last: one that vanished without a word takes nothing more, and is cut when
 * what waits for it did not move for the route's time. Silence alone is no fault.
 */
export function watchClient({ req, res, route, ctx }: Call): void {
  const { clientStallMs } = route.route;
  const { socket } = req;
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  // With a listener of its own, silence does not end the connection.
  res.setTimeout(clientStallMs, () => {
    if (socket.writableLength === 0) {
      socket.setTimeout(clientStallMs);
      return;
    }
    ctx.log('warn', 'a client took nothing of what waits for it and was cut', { route: route.route.name, waiting: socket.writableLength });
    socket.destroy();
  });
}

/**
 * Watches the upstream of an event stream where its route says how long it may be silent: a connection that is only half there
 * looks like silence. Bytes that this proxy does not take are no silence of the upstream.
 */
export function watchUpstream({ route, ctx }: Call, response: IncomingMessage, leg: Leg): void {
  const { upstreamSilenceMs } = route.route;
  const { socket } = response;
  if (!socket.destroyed) socket.setKeepAlive(true, KEEP_ALIVE_MS);
  if (upstreamSilenceMs === null) return;
  const onSilence = (): void => {
    if (!leg.isOpen) {
      socket.setTimeout(0);
      socket.off('timeout', onSilence);
    } else if (leg.isHeld) socket.setTimeout(upstreamSilenceMs);
    else {
      ctx.log('warn', 'the upstream was silent for too long: its stream is taken for lost', { route: route.route.name });
      leg.lose();
    }
  };
  socket.setTimeout(upstreamSilenceMs);
  socket.on('timeout', onSilence);
}

/** Has a client that takes nothing give way to the one that comes now: it may be the same one, whose connection is half there. */
export async function haveStalledGiveWay({ route }: Call, key: string, stream: string): Promise<void> {
  const client = route.legOf(key, stream)?.stalledClient(GIVES_WAY_MS) ?? null;
  if (client === null) return;
  const isClosed = new Promise((resolve) => client.once('close', resolve));
  client.destroy();
  await isClosed;
}

/** Writes a comment to clients whose streams were silent for the route's time, where the route allows it. Answers how to stop. */
export function beatHearts(route: RouteRuntime): () => void {
  const { heartbeatMs } = route.route;
  if (heartbeatMs === null) return () => undefined;
  const written = new WeakMap<Leg, number>();
  const timer = setInterval(() => {
    for (const leg of route.allLegs()) {
      const bytes = leg.client?.socket?.bytesWritten;
      if (bytes === undefined) continue;
      if (bytes === written.get(leg)) leg.beat();
      written.set(leg, leg.client?.socket?.bytesWritten ?? 0);
    }
  }, heartbeatMs);
  timer.unref();
  return () => clearInterval(timer);
}
