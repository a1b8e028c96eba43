import { connect, type Socket } from 'node:net';
import type { TapAddress } from '@/lib/proxy/upstream-tap';

/** A connection that is not let stand is not tried again sooner. */
const STAND_AGAIN_MS = 1_000;

/**
 * A connection to the upstream's address that nothing is sent on. A process that dies takes it along with all its others;
 * one that only ends a stream does not. So a stream that was cut while this one fell as well, without a word, was cut by the
 * end of whatever listens there, also where a successor answers by now.
 */
export class UpstreamWitness {
  private socket: Socket | null = null;
  private fellAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  constructor(
    private readonly address: TapAddress,
    /** Whether there are streams to bear witness for. */
    private readonly isNeeded: () => boolean,
  ) {}

  /** Has a connection stand, if none does. */
  stand(): void {
    const now = performance.now();
    if (this.socket !== null || this.isClosed || now - this.triedAt < STAND_AGAIN_MS) return;
    this.triedAt = now;
    const { host, port } = this.address;
    const socket = connect({ host, port, keepAlive: true, keepAliveInitialDelay: 1_000 });
    let stood = false;
    let wasTold = false;
    this.socket = socket.unref();
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      stood = true;
    });
    // A server that is tired of a silent connection says so, or ends it while its streams stand.
    socket.on('data', () => {
      wasTold = true;
    });
    socket.once('close', () => {
      this.socket = null;
      if (stood && !wasTold) this.fellAt = performance.now();
      setTimeout(() => {
        if (this.isNeeded()) this.stand();
      }, STAND_AGAIN_MS).unref();
    });
  }

  /** Whether it fell, without a word, at this instant (of `performance.now`) or since. */
  fellSince(instant: number): boolean {
    return this.fellAt >= instant;
  }

  close(): void {
    this.isClosed = true;
    this.socket?.destroy();
  }
}
