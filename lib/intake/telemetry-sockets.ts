import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ByteBudget } from '@/lib/http/byte-budget';
import { FrameRoom } from '@/lib/intake/frame-room';
import { OWN_SENDER, type Sender } from '@/lib/intake/sender';
import { Shares } from '@/lib/intake/shares';
import { type ConnectionParts, INTAKE_CLOSE, SocketConnection } from '@/lib/intake/socket-connection';

/** Bytes of one frame; a larger one ends the connection with 1009. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
export interface SocketLimits {
  readonly connectionsMax: number;
  /** Frames of all connections together, whole or in parts. */
  readonly bytesMax: number;
  /** Answers that their senders have not read, of all connections together. */
  readonly answerBytesMax: number;
}

const LIMITS: SocketLimits = { connectionsMax: 5_000, bytesMax: 128 * 1024 * 1024, answerBytesMax: 128 * 1024 * 1024 };
/** One key may have three quarters of the connections: most installations have a single one, and many servers behind it. */
const SENDER_MULTIPLE = 3;
const ONE_CONNECTION = { records: 1, chars: 0 };
const CHECK_MS = 30_000;
/** A client gets this long to answer a goodbye. */
const GOODBYE_MS = 2_000;

const PROTOCOL = {
  noServer: true,
  maxPayload: FRAME_BYTES_MAX,
  perMessageDeflate: false,
  clientTracking: false,
  closeTimeout: GOODBYE_MS,
};

export type SocketParts = Omit<ConnectionParts, 'room' | 'answers'>;

/** Every sender that is connected by WebSocket: accepts them, watches over them, bounds what they hold together. */
export class TelemetrySockets {
  readonly #parts: ConnectionParts;
  readonly #server = new WebSocketServer(PROTOCOL);
  readonly #connections = new Set<SocketConnection>();
  readonly #timer: NodeJS.Timeout;
  readonly #shares: Shares;
  #isClosed = false;

  constructor(parts: SocketParts, limits: SocketLimits = LIMITS) {
    this.#shares = new Shares({ records: limits.connectionsMax, chars: 0 }, SENDER_MULTIPLE);
    this.#parts = { ...parts, room: new FrameRoom(limits.bytesMax), answers: new ByteBudget(limits.answerBytesMax) };
    this.#timer = setInterval(() => this.check(), CHECK_MS);
    this.#timer.unref();
  }

  /** Connected senders. */
  get size(): number {
    return this.#connections.size;
  }

  /** Takes over the upgrade of a request that may send telemetry; null when it came to no connection. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, sender: Sender = OWN_SENDER): SocketConnection | null {
    let accepted: SocketConnection | null = null;
    this.#server.handleUpgrade(request, socket, head, (client) => {
      if (this.#isClosed) {
        client.close(INTAKE_CLOSE.shuttingDown, 'shutting_down');
        return;
      }
      if (this.#shares.take(sender.id, ONE_CONNECTION) !== 'taken') {
        client.on('error', () => client.terminate());
        client.close(INTAKE_CLOSE.full, 'intake_full: too many connections');
        return;
      }
      const connection = new SocketConnection(client, socket, sender, this.#parts);
      accepted = connection;
      this.#connections.add(connection);
      client.on('close', () => {
        this.#connections.delete(connection);
        this.#shares.give(sender.id, ONE_CONNECTION);
      });
    });
    return accepted;
  }

  /**
   * Takes no further frame from the first moment, answers what was taken once it is committed, and says goodbye. A
   * client that does not answer is cut two seconds later.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#connections].map((connection) => connection.drain()));
  }

  /** Looks after every connection; runs by itself every 30 s. */
  check(): void {
    for (const connection of this.#connections) connection.check();
  }
}
