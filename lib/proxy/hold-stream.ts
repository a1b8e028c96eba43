import type { Call } from '@/lib/proxy/call';
import type { StreamHold, StreamHolds } from '@/lib/proxy/log-store';
import { reportClose } from '@/lib/proxy/open-leg';
import { STREAM_BUSY, sendRefusal } from '@/lib/proxy/refusal';
import { terminalEvents } from '@/lib/proxy/terminal-event';

export interface HeldStream {
  readonly key: string;
  readonly stream: string;
  /** The calls that wait for the stream, see `pendingText`; null when none does. */
  readonly requestId: string | null;
}

/** Waits before asking again: a client that comes back at another replica may be faster than the news that it left this one. */
const BUSY_RETRY_MS = [30, 80, 200, 500] as const;

/** Where other processes may serve the streams of this call too: only the proxy that replays decides who is served. */
export function holdsOf({ ctx, route, enforces }: Call): StreamHolds | null {
  return enforces && route.route.replay === 'proxy' ? ctx.store.holds : null;
}

/**
 * Claims a stream for this call until its response closes: `busy` while another connection holds it, null where nobody
 * has to ask.
 *
 * @throws StoreUnavailable
 */
export async function holdStream(
  call: Call,
  held: HeldStream,
  retries: readonly number[] = BUSY_RETRY_MS,
): Promise<StreamHold | 'busy' | null> {
  const holds = holdsOf(call);
  if (holds === null) return null;
  const hold = await holds.claim(held, call.conn, () => yieldStream(call, held));
  const [wait, ...rest] = retries;
  if (hold === null && wait === undefined) return 'busy';
  if (hold === null) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    return holdStream(call, held, rest);
  }
  return untilClosed(call, hold);
}

/** Holds a stream that begins with this call. */
export function holdNewStream(call: Call, held: HeldStream): void {
  const holds = holdsOf(call);
  if (holds !== null)
    untilClosed(
      call,
      holds.claimNew(held, call.conn, () => yieldStream(call, held)),
    );
}

function untilClosed({ res }: Call, hold: StreamHold): StreamHold {
  if (res.destroyed) hold.release();
  else res.once('close', () => hold.release());
  return hold;
}

/** Another replica serves the stream now: nothing more is written here but that it is so. */
function yieldStream(call: Call, { key, stream, requestId }: HeldStream): void {
  const { res, route, ctx } = call;
  ctx.log('warn', 'another replica took a stream over', { route: route.route.name, stream });
  const leg = route.legOf(key, stream);
  const isOurs = leg !== null && leg.client === res;
  if (isOurs) {
    leg.detach();
    reportClose(call, leg, 'superseded');
    leg.destroy();
  }
  if (res.destroyed || res.writableEnded) return;
  if (!res.headersSent) {
    sendRefusal(res, 409, STREAM_BUSY);
    return;
  }
  const pending = isOurs ? leg.pending : requestId;
  if (pending !== null) res.write(terminalEvents(ctx.credentials, key, pending, STREAM_BUSY));
  res.end();
}
