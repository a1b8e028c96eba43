import { connect, type Socket } from 'node:net';
import { Dechunker } from '@/lib/proxy/dechunker';
import type { StreamSink, StreamSource } from '@/lib/proxy/stream-source';
import { ROOM_AFTER, roomBefore } from '@/lib/proxy/write-chunk';

const READ_BYTES = 64 * 1024;
/** A response head larger than this is left to node, which refuses it. */
const HEAD_BYTES_MAX = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
const NOTHING = Buffer.alloc(0);

/** Every tap reads into this memory and is done with it before any reads again. */
const SHARED = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * What is relayed is built here, as long as every piece is with the system before the next one comes. Small pieces have
 * memory of their own: a client that is behind keeps what it was left with.
 */
class Workplace {
  private memory: Buffer;
  /** As much of it as the last piece took: the next is mostly as long, and a view costs more than its bytes. */
  private view: Buffer;

  constructor(readonly bytesMax: number) {
    this.memory = Buffer.allocUnsafeSlow(bytesMax);
    this.view = this.memory;
  }

  take(bytes: number): Buffer {
    if (this.view.length !== bytes) this.view = this.memory.subarray(0, bytes);
    return this.view;
  }

  /** Somebody keeps what was taken last: what comes next is built elsewhere. */
  giveAway(): void {
    this.memory = Buffer.allocUnsafeSlow(this.bytesMax);
    this.view = this.memory;
  }
}

const SMALL = new Workplace(4096);
const LARGE = new Workplace(READ_BYTES + roomBefore(READ_BYTES) + ROOM_AFTER);

function workplaceFor(bytes: number): Workplace {
  if (bytes <= SMALL.bytesMax) return SMALL;
  return bytes <= LARGE.bytesMax ? LARGE : new Workplace(bytes);
}

/** Below this many bytes a loop is done before a call has begun. */
const LOOP_BYTES_MAX = 512;

function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): void {
  if (end - start > LOOP_BYTES_MAX) {
    from.copy(to, at, start, end);
    return;
  }
  const shift = at - start;
  for (let i = start; i < end; i++) to[i + shift] = from[i] ?? 0;
}

export interface TapAddress {
  readonly host: string;
  readonly port: number;
}

/** Who reads: node everything, node the head alone, whoever takes the response decides about the body. */
type Phase = 'passing' | 'head' | 'undecided' | 'diverted';

const taps = new WeakMap<object, UpstreamTap>();

/** The tap whose connection a socket is; null for any other. */
export const tapOf = (socket: object | null): UpstreamTap | null => (socket === null ? null : (taps.get(socket) ?? null));

/**
 * A connection to an upstream, with its reads in our hands. Node's client uses `socket` as any other, one request
 * after the other. The answer to a request that was announced with `expectStream` may be a long event stream: node
 * parses its head, and from then on a chunked body can be read as it comes, into memory that all taps share, with
 * nothing between the system call and the sink. That is what makes relaying an event cheaper than piping it.
 *
 * A connection that carried another answer before is the better one to stream on: the system then acknowledges what
 * comes together with later events, where on a new one it sends an acknowledgement of its own for every single event.
 */
export class UpstreamTap implements StreamSource {
  readonly socket: Socket;
  private readonly body = new Dechunker();
  private phase: Phase = 'passing';
  /** Bytes that came before it was known who reads them. */
  private early: Buffer = NOTHING;
  private sink: StreamSink | null = null;
  private isHeld = false;

  constructor({ host, port }: TapAddress) {
    this.socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 1000,
      onread: { buffer: SHARED, callback: (length) => this.onRead(length) },
    });
    taps.set(this.socket, this);
  }

  get isUndecided(): boolean {
    return this.phase === 'undecided';
  }

  /** The next answer may be an event stream: nothing after its head is read before `pass` or `divert` say by whom. */
  expectStream(): void {
    this.phase = 'head';
  }

  /** Leaves the body to node, as that of every answer that is no event stream. */
  pass(): void {
    if (this.phase !== 'undecided') return;
    this.phase = 'passing';
    // Node's parser is amid the head when the answer is told of.
    process.nextTick(() => {
      const early = this.takeEarly();
      if (early.length > 0) this.socket.push(early);
      this.socket.read(0);
    });
  }

  divert(sink: StreamSink): void {
    const { socket } = this;
    this.phase = 'diverted';
    this.sink = sink;
    socket.setTimeout(0);
    socket.once('end', () => this.finish(false));
    socket.once('close', () => this.finish(false));
    process.nextTick(() => {
      const early = this.takeEarly();
      if (early.length > 0) this.relay(early, 0, early.length);
      if (!this.isHeld) socket.resume();
    });
  }

  hold(): void {
    this.isHeld = true;
    this.socket.pause();
  }

  release(): void {
    this.isHeld = false;
    this.socket.resume();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** The shared memory holds what was read; false asks the system for nothing more. */
  private onRead(length: number): boolean {
    switch (this.phase) {
      case 'diverted':
        this.relay(SHARED, 0, length);
        return !this.isHeld;
      case 'passing':
        return this.socket.push(Buffer.concat([this.takeEarly(), SHARED.subarray(0, length)]));
      default:
        this.early = Buffer.concat([this.early, SHARED.subarray(0, length)]);
        if (this.phase === 'head') this.readHead();
        return this.phase !== 'undecided';
    }
  }

  /** Hands node the head, and only the head; what follows an interim response is another head. */
  private readHead(): void {
    const at = this.early.indexOf(HEAD_END);
    if (at === -1) {
      if (this.early.length <= HEAD_BYTES_MAX) return;
      this.phase = 'undecided';
      this.pass();
      return;
    }
    const head = this.early.subarray(0, at + HEAD_END.length);
    this.early = this.early.subarray(at + HEAD_END.length);
    const isInterim = /^HTTP\/1\.1 1\d\d/.test(head.toString('latin1', 0, 12));
    if (!isInterim) this.phase = 'undecided';
    this.socket.push(head);
    if (isInterim && this.early.length > 0) this.readHead();
  }

  private relay(buffer: Buffer, from: number, to: number): void {
    const { body, sink } = this;
    body.decode(buffer, from, to);
    const length = body.end - body.start;
    if (length > 0 && sink !== null) {
      const room = roomBefore(length);
      const bytes = room + length + ROOM_AFTER;
      const workplace = workplaceFor(bytes);
      const own = workplace.take(bytes);
      copyBytes(buffer, body.start, body.end, own, room);
      if (!sink.take(own, room, room + length)) workplace.giveAway();
    }
    if (!body.isDone && !body.isBroken) return;
    this.finish(body.isDone);
    this.destroy();
  }

  private finish(isClean: boolean): void {
    const { sink } = this;
    this.sink = null;
    sink?.finish(isClean);
  }

  private takeEarly(): Buffer {
    const { early } = this;
    this.early = NOTHING;
    return early;
  }
}
