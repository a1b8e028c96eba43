import type { ServerResponse } from 'node:http';
import { onceWritable, writeChunk, writeRoomy } from '@/lib/proxy/write-chunk';
import { KEEP_ALIVE_COMMENT } from '@/lib/sse/write-event';

/** The client that a leg is written to, if any. While it takes nothing more, the leg's source is held. */
export class LegClient {
  response: ServerResponse | null = null;
  conn = '';
  isBlocked = false;
  private blockedAt = 0;
  /** Sends the head of the response, where that waits for the first thing to write. */
  private sendHead: (() => void) | null = null;

  constructor(
    private readonly hold: () => void,
    private readonly release: () => void,
  ) {}

  /** Writes to this response from now on. Its head is sent, unless `sendHead` is to send it before the first byte. */
  take(response: ServerResponse, conn: string, sendHead: (() => void) | null): void {
    this.response = response;
    this.conn = conn;
    this.sendHead = sendHead;
  }

  /** Lets go of the response without ending it. */
  letGo(): void {
    this.response = null;
    this.unblock();
  }

  write(chunk: Buffer, start: number, end: number): void {
    const { response } = this;
    if (response === null) return;
    this.sendHeadFirst();
    if (!writeRoomy(response, chunk, start, end)) this.block(response);
  }

  writeAll(pieces: readonly Buffer[]): void {
    const [only] = pieces;
    const { response } = this;
    if (only === undefined || response === null) return;
    this.sendHeadFirst();
    if (!writeChunk(response, pieces.length === 1 ? only : Buffer.concat(pieces))) this.block(response);
  }

  /** Writes a comment, where the head is out already. */
  beat(): void {
    const { response } = this;
    if (response === null || this.sendHead !== null) return;
    if (!response.write(KEEP_ALIVE_COMMENT)) this.block(response);
  }

  /** The response, where its client took nothing of what waits for it for that long; milliseconds. */
  stalled(ms: number): ServerResponse | null {
    return this.isBlocked && performance.now() - this.blockedAt >= ms ? this.response : null;
  }

  /** Nothing more is read until the response can take more. */
  block(response: ServerResponse): void {
    if (this.isBlocked) return;
    this.isBlocked = true;
    this.blockedAt = performance.now();
    this.hold();
    onceWritable(response, () => this.unblock());
  }

  private unblock(): void {
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.release();
  }

  private sendHeadFirst(): void {
    this.sendHead?.();
    this.sendHead = null;
  }
}
