import type { IncomingMessage } from 'node:http';

/** Reads an event stream. */
export interface StreamSink {
  /**
   * Takes `buffer[start, end)`, see `writeRoomy` for the room around it. True when nobody needs the memory any more;
   * otherwise it is the sink's from then on.
   */
  take(buffer: Buffer, start: number, end: number): boolean;
  /** Nothing more comes; `isClean` when the body ended as its framing said. Called once. */
  finish(isClean: boolean): void;
}

/** Where the bytes of an event stream come from. */
export interface StreamSource {
  /** Sends what comes to the sink, from the next turn of the loop. */
  divert(sink: StreamSink): void;
  /** Nothing is taken until `release`. */
  hold(): void;
  release(): void;
  destroy(): void;
}

/** An event stream read through node's own client: what one read of the socket brought is handed on as one. */
export class MessageSource implements StreamSource {
  private inbox: Buffer[] = [];
  private sink: StreamSink | null = null;
  private isHeld = false;
  /** How the stream ended, while what came before is still held. */
  private wasClean: boolean | null = null;

  constructor(private readonly message: IncomingMessage) {}

  divert(sink: StreamSink): void {
    this.sink = sink;
    const { message } = this;
    message.on('data', (chunk: Buffer) => {
      this.inbox.push(chunk);
      if (this.inbox.length === 1) process.nextTick(this.drain);
    });
    message.on('end', () => this.finish(true));
    message.on('error', () => this.finish(false));
    message.on('close', () => this.finish(false));
  }

  hold(): void {
    this.isHeld = true;
    this.message.pause();
  }

  release(): void {
    this.isHeld = false;
    this.drain();
    if (this.isHeld) return;
    if (this.wasClean !== null) this.finish(this.wasClean);
    this.message.resume();
  }

  destroy(): void {
    this.sink = null;
    this.message.destroy();
  }

  private readonly drain = (): void => {
    const [only] = this.inbox;
    if (this.isHeld || only === undefined) return;
    const chunk = this.inbox.length === 1 ? only : Buffer.concat(this.inbox);
    this.inbox = [];
    this.sink?.take(chunk, 0, chunk.length);
  };

  /** What came before the end is taken before the end is told, also where that has to wait for a release. */
  private finish(isClean: boolean): void {
    const { sink } = this;
    if (sink === null) return;
    this.drain();
    if (this.inbox.length > 0) {
      this.wasClean ??= isClean;
      return;
    }
    this.sink = null;
    sink.finish(isClean);
  }
}
