import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { ByteBudget, ByteLease } from '@/lib/http/byte-budget';
import type { FrameRoom, FrameSeat, Occupant } from '@/lib/intake/frame-room';
import type { Intake } from '@/lib/intake/intake';
import { MessageEnds } from '@/lib/intake/message-ends';
import type { Sender } from '@/lib/intake/sender';
import { type FrameAnswer, type FrameProblem, readFrame, type TelemetryFrame } from '@/lib/intake/telemetry-frame';
import type { ErrorBody } from '@/lib/wire/responses';

/** Close codes of `GET /api/v1/telemetry/ws`, beside those of the WebSocket protocol itself; reasons begin with a code. */
export const INTAKE_CLOSE = { shuttingDown: 1001, notText: 1003, full: 1013, malformed: 4400, notAllowed: 4403, tooSlow: 4408 } as const;

/** Frames and bytes of one connection that may wait for their commit; at either, nothing more is read from it. */
const FRAMES_IN_FLIGHT_MAX = 16;
const BYTES_IN_FLIGHT_MAX = 8 * 1024 * 1024;
/** Answers that may wait for a client before it counts as too slow. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
/** A frame gets this long to arrive whole. */
const FRAME_MS_MAX = 60_000;
/** Looks, two a minute, for which an answer may wait: a slow reader is seen to take a long one only when it has all of it. */
const LOOKS_UNREAD_MAX = 4;

/** A refusal as the sender sees it. */
export interface CodedRefusal {
  readonly error: ErrorBody['error'];
  /** Seconds after which to send again. */
  readonly retryAfter: number | null;
}

export interface ConnectionParts {
  readonly submit: Intake['submitBatch'];
  readonly refusalOfFrame: (problem: FrameProblem) => CodedRefusal;
  /** Turns what the intake threw into a coded refusal; unexpected errors are logged there. */
  readonly refusalOfCause: (cause: unknown) => CodedRefusal;
  /** Bytes that all connections share. */
  readonly room: FrameRoom;
  /** The same for answers that wait to be read. */
  readonly answers: ByteBudget;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * One sender over WebSocket. Each frame is a batch, answered by its `seq` after its commit, in the order of the
 * commits. What is read and not yet answered is bounded: at the bound the socket is paused, so that the sender
 * is slowed by TCP and not by memory.
 */
export class SocketConnection implements Occupant {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #parts: ConnectionParts;
  readonly #sender: Sender;
  #framesInFlight = 0;
  #bytesInFlight = 0;
  readonly #ends = new MessageEnds();
  /** Sizes of messages that have arrived whole and were not taken yet, in order. */
  readonly #whole: number[] = [];
  readonly #seat: FrameSeat;
  readonly #unread: ByteLease;
  #unreadBytes = 0;
  /** Looks in a row since the last answer was handed over whole, while another one waits. */
  #looksUnread = 0;
  /** Bytes taken of the common room for what has arrived and is not being stored. */
  #heldBytes = 0;
  /** Nothing more is read until there is room for what was read last. */
  #isWaiting = false;
  /** When the frame began that has not arrived whole. */
  #partialSinceMs = 0;
  #isHeard = true;
  #isDraining = false;
  #onDrained: () => void = () => undefined;

  constructor(socket: WebSocket, raw: Duplex, sender: Sender, parts: ConnectionParts) {
    this.#socket = socket;
    this.#raw = raw;
    this.#sender = sender;
    this.#parts = parts;
    this.#seat = parts.room.open(sender.id, this);
    this.#unread = parts.answers.lease(sender.id);
    // Ahead of the protocol's own listener, so that a chunk is counted before the frames in it are taken off.
    raw.prependListener('data', (chunk: Buffer) => this.#arrive(chunk));
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('pong', () => {
      this.#isHeard = true;
    });
    // What breaks the protocol is answered by the library, with a close code of the protocol itself.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#settle(this.#heldBytes);
      this.#seat.leave();
      this.#unread.release();
    });
  }

  get idleBytes(): number {
    return this.#heldBytes;
  }

  get isStoring(): boolean {
    return this.#framesInFlight > 0;
  }

  /** Ends the connection of a sender who may no longer send, for the code of a refusal: nothing more is taken or acknowledged. */
  dismiss(code: string): void {
    this.#end(INTAKE_CLOSE.notAllowed, code);
  }

  /** Called twice a minute: cuts a peer that did not answer the last ping, takes no answer for two minutes, or whose frame never ends. */
  check(): void {
    // The rest of a frame may be what a paused socket holds back.
    const isLate = this.#parts.now() - this.#partialSinceMs > FRAME_MS_MAX;
    const isStalled = this.#ends.unfinished > 0 && isLate && !this.#socket.isPaused;
    if (isStalled) this.#end(INTAKE_CLOSE.tooSlow, 'request_timeout: the frame did not arrive whole');
    else if (this.#unreadBytes > 0 && this.#looksUnread >= LOOKS_UNREAD_MAX) this.#endUnread();
    // What a paused socket holds back may be the pong.
    else if (!this.#isHeard && !this.#socket.isPaused) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) {
      this.#isHeard = false;
      this.#socket.ping();
    }
    this.#looksUnread = this.#unreadBytes > 0 ? this.#looksUnread + 1 : 0;
  }

  /** Takes no further frame, answers those that were taken, says goodbye. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#framesInFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    if (this.#socket.readyState === this.#socket.CLOSED) return;
    const closed = once(this.#socket, 'close');
    this.#socket.resume();
    this.#end(INTAKE_CLOSE.shuttingDown, 'shutting_down');
    await closed;
  }

  #arrive(chunk: Buffer): void {
    const outcome = this.#seat.take(chunk.length);
    if (outcome === 'full') {
      this.turnAway();
      return;
    }
    if (outcome === 'waits') {
      this.#isWaiting = true;
      this.#socket.pause();
    }
    this.#heldBytes += chunk.length;
    const isNew = this.#ends.unfinished === 0;
    const ended = this.#ends.push(chunk);
    // What lies beyond the last end has just begun.
    if (isNew || ended.length > 0) this.#partialSinceMs = this.#parts.now();
    for (const { isControl, bytes } of ended) {
      if (isControl) this.#settle(bytes);
      else this.#whole.push(bytes);
    }
  }

  /** Ends a connection whose bytes there is no room for: what still comes is thrown away unread. */
  turnAway(): void {
    this.#raw.removeAllListeners('data');
    this.#raw.resume();
    this.#end(INTAKE_CLOSE.full, 'intake_full: too much is being sent at a time');
  }

  #settle(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#seat.give(bytes);
  }

  #take(data: RawData, isBinary: boolean): void {
    // The frame's bytes stay counted until it is answered.
    const bytes = this.#whole.shift() ?? 0;
    this.#heldBytes -= bytes;
    const frame = this.#read(data, isBinary);
    if (frame === null) this.#seat.give(bytes);
    else void this.#store(frame, bytes);
  }

  #read(data: RawData, isBinary: boolean): TelemetryFrame | null {
    // What comes while the connection ends is not acknowledged: the sender sends it again after it reconnects.
    if (this.#isDraining || this.#socket.readyState !== this.#socket.OPEN) return null;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#end(INTAKE_CLOSE.notText, 'unsupported_media_type: frames are JSON text');
      return null;
    }
    const frame = readFrame(data.toString('utf8'));
    if (frame.ok) return frame.value;
    this.#refuse(frame.error);
    return null;
  }

  async #store(frame: TelemetryFrame, bytes: number): Promise<void> {
    this.#framesInFlight++;
    this.#bytesInFlight += bytes;
    if (this.#isFull()) this.#socket.pause();
    try {
      const result = await this.#parts.submit({ values: frame.records, unreadable: new Map() }, frame.origin, this.#sender);
      this.#send({ ack: frame.seq, ...result });
    } catch (cause) {
      this.#sendRefusal(frame.seq, this.#parts.refusalOfCause(cause));
    }
    this.#framesInFlight--;
    this.#bytesInFlight -= bytes;
    this.#seat.give(bytes);
    this.#readOn();
    if (this.#framesInFlight === 0) this.#onDrained();
  }

  /** Told that there is room for what was read. */
  goOn(): void {
    this.#isWaiting = false;
    this.#readOn();
  }

  #readOn(): void {
    if (!this.#socket.isPaused || this.#isWaiting || this.#isFull()) return;
    this.#isHeard = true;
    this.#partialSinceMs = this.#parts.now();
    this.#socket.resume();
  }

  #isFull(): boolean {
    return this.#framesInFlight >= FRAMES_IN_FLIGHT_MAX || this.#bytesInFlight >= BYTES_IN_FLIGHT_MAX;
  }

  #refuse(problem: FrameProblem): void {
    this.#sendRefusal(problem.seq, this.#parts.refusalOfFrame(problem));
    if (problem.seq === null) this.#end(INTAKE_CLOSE.malformed, `${problem.code}: no frame can be read`);
  }

  #sendRefusal(seq: number | null, { error, retryAfter }: CodedRefusal): void {
    this.#send({ seq, error, ...(retryAfter === null ? {} : { retry_after: retryAfter }) });
  }

  #send(answer: FrameAnswer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const text = JSON.stringify(answer);
    const bytes = Buffer.byteLength(text);
    if (this.#socket.bufferedAmount > BUFFERED_BYTES_MAX || !this.#unread.take(bytes)) {
      this.#endUnread();
      return;
    }
    this.#unreadBytes += bytes;
    this.#socket.send(text, () => {
      this.#unreadBytes -= bytes;
      this.#looksUnread = 0;
      // What was left at its close was given back then.
      if (this.#socket.readyState !== this.#socket.CLOSED) this.#unread.give(bytes);
    });
  }

  #endUnread(): void {
    this.#end(INTAKE_CLOSE.tooSlow, 'request_timeout: answers are not read');
  }

  #end(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
