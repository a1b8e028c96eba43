import type { ClientRequest } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { sendError } from '@/lib/proxy/refusal';
import { RpcScanner } from '@/lib/proxy/rpc-scanner';
import type { RpcSummary } from '@/lib/proxy/rpc-summary';

/** Announced bodies up to this size are read before they are sent on, which spares a write; larger ones flow. */
const GATHERED_BYTES_MAX = 1024 * 1024;
/** The same for a body that announces no length. */
const UNANNOUNCED_BYTES_MAX = 64 * 1024;
/** What a client is given to read a refusal that it gets amid its own sending. */
const REFUSED_MS = 5_000;

export interface BodyReader {
  /** The body is here, as a whole. */
  readonly whole: (body: Buffer) => void;
  /** The body is one that flows: called once, when its first bytes were read; `flow` sends all of it. */
  readonly begun: (body: FlowingBody) => void;
}

/** A body that is sent on as it comes, and read on the way. */
export interface FlowingBody {
  /** Messages as far as they were read. */
  messages(): readonly RpcSummary[];
  flow(upstream: ClientRequest): void;
  /** The request was answered without it: what still comes is thrown away, and only for a while. */
  discard(): void;
}

/**
 * Reads the body of a POST: a small one whole, any other as it flows. One that stands still, takes too long to be gathered
 * or is larger than its route allows is refused by name, and nothing of it is held from then on.
 */
export function readPostBody(call: Call, reader: BodyReader): void {
  new PostBody(call, reader).start();
}

class PostBody implements FlowingBody {
  private chunks: Buffer[] = [];
  private gathered = 0;
  private received = 0;
  private isOver = false;
  private isHeld = false;
  private upstream: ClientRequest | null = null;
  private scanner: RpcScanner | null = null;
  private readonly gatheredMax: number;
  private readonly pause: NodeJS.Timeout;

  constructor(
    private readonly call: Call,
    private readonly reader: BodyReader,
  ) {
    const { timeouts } = call.ctx;
    const announced = call.req.headers['content-length'];
    this.gatheredMax = announced === undefined ? UNANNOUNCED_BYTES_MAX : GATHERED_BYTES_MAX;
    this.pause = setTimeout(() => {
      // Nobody can blame the client for what it is not asked for.
      if (this.isHeld) this.pause.refresh();
      else this.refuseStall();
    }, timeouts.bodyPauseMs);
    this.pause.unref();
  }

  start(): void {
    const { req, route } = this.call;
    const announced = Number(req.headers['content-length'] ?? 0);
    req.on('data', this.onData);
    req.on('end', this.onEnd);
    req.once('close', () => this.onClose());
    if (announced > route.route.bodyBytesMax) this.refuseSize();
    else if (announced > GATHERED_BYTES_MAX) this.begin();
  }

  messages(): readonly RpcSummary[] {
    return this.scanner?.read() ?? [];
  }

  /** Sends what was read so far and all that follows, no faster than the upstream takes it. */
  flow(upstream: ClientRequest): void {
    const { req } = this.call;
    if (this.isOver || (req.destroyed && !req.complete)) {
      upstream.destroy();
      return;
    }
    this.upstream = upstream;
    upstream.on('drain', () => this.go());
    upstream.on('close', () => {
      if (!req.readableEnded) this.discard();
    });
    const { chunks } = this;
    this.release();
    for (const chunk of chunks) upstream.write(chunk);
    if (!upstream.writableNeedDrain) this.go();
  }

  discard(): void {
    if (this.isOver) return;
    const { req } = this.call;
    this.isOver = true;
    clearTimeout(this.pause);
    this.release();
    req.resume();
    const cut = setTimeout(() => req.destroy(), REFUSED_MS);
    cut.unref();
    for (const event of ['end', 'close']) req.once(event, () => clearTimeout(cut));
  }

  private readonly onData = (chunk: Buffer): void => {
    this.pause.refresh();
    this.received += chunk.length;
    if (this.isOver) return;
    if (this.received > this.call.route.route.bodyBytesMax) {
      this.refuseSize();
      return;
    }
    if (this.upstream !== null) {
      this.scanner?.feed(chunk);
      if (!this.upstream.write(chunk)) this.hold();
      return;
    }
    this.gather(chunk);
  };

  private gather(chunk: Buffer): void {
    const { clock, timeouts } = this.call.ctx;
    if (clock() - this.call.startedAt > timeouts.bodyMs) {
      this.refuseStall();
      return;
    }
    this.chunks.push(chunk);
    const hasRoom = this.call.ctx.bodies.take(chunk.length);
    if (hasRoom) this.gathered += chunk.length;
    if (this.scanner !== null) this.scanner.feed(chunk);
    else if (!hasRoom || this.received > this.gatheredMax) this.begin();
  }

  /** From here on the body flows; nothing more is read before somebody takes it. */
  private begin(): void {
    const { chunks } = this;
    this.scanner = new RpcScanner();
    for (const chunk of chunks) this.scanner.feed(chunk);
    this.hold();
    this.reader.begun(this);
  }

  private hold(): void {
    this.isHeld = true;
    this.call.req.pause();
  }

  private go(): void {
    if (this.isOver) return;
    this.isHeld = false;
    this.pause.refresh();
    this.call.req.resume();
  }

  private readonly onEnd = (): void => {
    if (this.isOver) return;
    this.isOver = this.scanner === null;
    clearTimeout(this.pause);
    if (this.scanner !== null) {
      this.upstream?.end();
      return;
    }
    const [only] = this.chunks;
    const body = this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks);
    this.release();
    this.reader.whole(body);
  };

  private onClose(): void {
    clearTimeout(this.pause);
    this.release();
    if (!this.call.req.complete) this.upstream?.destroy();
  }

  private refuseSize(): void {
    const { bodyBytesMax } = this.call.route.route;
    this.refuse(413, 'body_too_large', `the body is larger than the ${bodyBytesMax} bytes that this route takes`, 'send less at a time');
  }

  private refuseStall(): void {
    this.refuse(408, 'request_timeout', 'the body of the request did not come', 'send the request whole and without pause');
  }

  /** The client is told, and gets a while to read it; then the connection ends. */
  private refuse(status: number, code: string, message: string, nextStep: string): void {
    const { req, res } = this.call;
    if (this.isOver) return;
    if (res.headersSent) req.destroy();
    else sendError(res.setHeader('connection', 'close'), status, code, message, nextStep);
    this.discard();
    this.upstream?.destroy();
  }

  private release(): void {
    this.chunks = [];
    this.call.ctx.bodies.give(this.gathered);
    this.gathered = 0;
  }
}
