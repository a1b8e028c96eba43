import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LegJournal } from '@/lib/proxy/leg-journal';
import type { LogChange, Maybe, SessionLogStore } from '@/lib/proxy/log-store';
import { isAnswerTo } from '@/lib/proxy/rpc-summary';
import { onceWritable, writeChunk } from '@/lib/proxy/write-chunk';
import type { ReplayCheck, ReplayFault } from '@/lib/session-log/replay-check';
import type { AppendResult } from '@/lib/session-log/session-log';
import type { LoggedEvent, NewEvent } from '@/lib/session-log/stream-log';
import { BlockScanner, type SseBlock } from '@/lib/sse/block-scanner';
import type { FingerprintKey } from '@/lib/sse/fingerprint';

/** Bytes of one unfinished event that are held at most, whatever the route's buffer. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

export interface LegNames {
  readonly key: string;
  readonly stream: string;
  /** JSON text of the id of the request that this stream answers. */
  readonly requestId: string | null;
}

export interface LegOptions {
  readonly names: LegNames;
  readonly upstream: IncomingMessage;
  readonly store: SessionLogStore;
  readonly journal: LegJournal;
  readonly fingerprintKey: FingerprintKey;
  readonly clock: () => number;
  /** Label of the session's live generation. */
  readonly generation: () => string;
  /** Whether the proxy keeps frames to replay them itself, and names events that the server does not name. */
  readonly retains: boolean;
  readonly retainedBytesMax: number;
  /** On a resumed upstream connection: what must come first. */
  readonly check: ReplayCheck | null;
  /** Whether a fault of the replay ends the stream before the client sees it. */
  readonly enforces: boolean;
  readonly onFault: (leg: Leg, fault: ReplayFault) => void;
  /** The owed replay is complete, or the connection ended before it was. */
  readonly onReplayed: (leg: Leg) => void;
  readonly onGeneration: (leg: Leg) => void;
  readonly onClientGone: (leg: Leg) => void;
  readonly onEnd: (leg: Leg, isClean: boolean) => void;
  readonly onEvents: (count: number) => void;
}

/**
 * One event stream read from the upstream, and the client that it is written to, if any. Bytes go on as they
 * came; a copy of nothing but ids and boundaries is kept. It outlives its client, since a disconnect is no cancel.
 *
 * Order of a chunk: read its boundaries, log its events, then write it, so that no client ever holds an id that
 * the log does not know.
 */
export class Leg {
  client: ServerResponse | null = null;
  conn = '';
  isOpen = true;
  /** Whether it was the upstream's side that ended, rather than this proxy letting go of it. */
  isEndedUpstream = false;
  /** Whether the request of this stream was answered on it. */
  isAnswered: boolean;
  /** Events that came on this connection, replayed ones included. */
  eventCount = 0;
  readonly names: LegNames;
  private readonly scanner: BlockScanner;
  private inbox: Buffer[] = [];
  private isEnding = false;
  private blocks: SseBlock[] = [];
  /** Bytes since the last boundary: already written unless the leg is checked. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private isOverflowed = false;
  private isBlocked = false;
  private isAppending = false;
  private wasReplayReported = false;
  /** Sends the head of the client's response, where that waits for the first thing to write. */
  private sendHead: (() => void) | null = null;
  private readonly injectedTag = randomBytes(6).toString('hex');
  private injected = 0;
  private hasServerIds = false;

  constructor(private readonly options: LegOptions) {
    this.names = options.names;
    this.isAnswered = options.check?.isAnswered ?? false;
    this.scanner = new BlockScanner(options.fingerprintKey, (block) => this.blocks.push(block));
    const { upstream } = options;
    upstream.on('data', (chunk: Buffer) => this.take(chunk));
    upstream.on('end', () => this.finish(true));
    upstream.on('error', () => this.finish(false));
    upstream.on('close', () => this.finish(false));
  }

  get check(): ReplayCheck | null {
    return this.options.check;
  }

  /** Whether ids on this stream are ours, because the server sends none. */
  get hasOwnIds(): boolean {
    return this.injected > 0;
  }

  /** Whether a client that has everything up to the head can be attached without losing a byte. */
  get canAttach(): boolean {
    return this.isOpen && !this.isOverflowed && !this.isAppending;
  }

  private get isChecked(): boolean {
    return this.options.check !== null && this.options.enforces;
  }

  /** Resolves when every event read so far is logged. */
  async settled(): Promise<void> {
    while (this.isAppending) await new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * Writes to `client` from now on. It has, or is given before, every event up to the head. Its response head is sent,
   * unless `sendHead` is to send it before the first byte.
   */
  attach(client: ServerResponse, conn: string, replayed: readonly LoggedEvent[] = [], sendHead: (() => void) | null = null): void {
    this.client = client;
    this.conn = conn;
    this.sendHead = sendHead;
    client.on('close', () => this.onClientClose(client));
    for (const event of replayed) {
      if (event.frame !== null) client.write(event.frame);
      this.options.journal.noteDelivered(event, this.options.generation(), conn);
    }
    if (!this.isChecked) for (const piece of this.held) client.write(piece);
    if (client.writableNeedDrain) this.block(client);
  }

  /** Lets go of the client without ending its response. */
  detach(): void {
    this.client = null;
    this.unblock();
  }

  /** Ends the stream as faulty although no event said so: the owed ones do not come. */
  fail(fault: ReplayFault): void {
    this.options.onFault(this, fault);
  }

  /** Reports a replay that owes nothing. */
  settleReplay(): void {
    if (this.options.check?.owed === 0) this.reportReplayed();
  }

  destroy(): void {
    this.inbox = [];
    this.options.upstream.destroy();
    this.end(false);
  }

  /** What one read of the socket brought is handled and written as one, still within the same turn of the loop. */
  private take(chunk: Buffer): void {
    this.inbox.push(chunk);
    if (this.inbox.length === 1) process.nextTick(this.drain);
  }

  private readonly drain = (): void => {
    if (this.isAppending || !this.isOpen) return;
    const [only] = this.inbox;
    if (only === undefined) return;
    const chunk = this.inbox.length === 1 ? only : Buffer.concat(this.inbox);
    this.inbox = [];
    this.onChunk(chunk);
  };

  private onChunk(chunk: Buffer): void {
    this.scanner.feed(chunk);
    if (this.blocks.length === 0) {
      this.hold(chunk);
      if (!this.isChecked) this.write(chunk);
      else if (this.isOverflowed) this.options.onFault(this, 'missing');
      return;
    }
    const blocks = this.blocks;
    this.blocks = [];
    const plan = this.plan(chunk, blocks);
    if (plan.events.length === 0) this.complete(plan, []);
    else this.append(plan);
  }

  private append(plan: ChunkPlan): void {
    let outcome: Maybe<readonly AppendResult[]>;
    try {
      outcome = this.options.store.append(this.names.key, this.names.stream, this.names.requestId, plan.events);
    } catch {
      outcome = [];
    }
    if (!(outcome instanceof Promise)) {
      this.complete(plan, outcome);
      return;
    }
    this.isAppending = true;
    this.options.upstream.pause();
    outcome
      .catch((): readonly AppendResult[] => [])
      .then((results) => {
        this.isAppending = false;
        this.complete(plan, results);
        this.drain();
        if (this.isEnding && !this.isAppending) this.end(true);
        else if (!this.isBlocked && !this.isAppending) this.options.upstream.resume();
      });
  }

  /** Decides for every block of a chunk what is logged and what is written. */
  private plan(chunk: Buffer, blocks: readonly SseBlock[]): ChunkPlan {
    const plan: ChunkPlan = { events: [], replayed: [], out: [], fault: null, oversized: false, at: this.options.clock() };
    const heldBefore = this.held;
    let from = 0;
    let written = 0;
    for (const block of blocks) {
      if (!this.takeReplayed(block, plan)) written = this.takeNew(chunk, from, written, block, plan);
      if (plan.fault !== null && this.isChecked) break;
      this.release();
      from = block.end;
    }
    if (this.isChecked && from > 0) plan.out.push(...heldBefore);
    const verified = this.isChecked ? from : chunk.length;
    if (written < verified) plan.out.push(chunk.subarray(written, verified));
    if (from < chunk.length) this.hold(chunk.subarray(from));
    return plan;
  }

  /** Holds a block of a resumed connection against what is owed. False when it is nothing that was relayed before. */
  private takeReplayed(block: SseBlock, plan: ChunkPlan): boolean {
    const isEvent = block.id !== null || block.dataLines > 0;
    if (!isEvent) return true;
    const step = this.options.check?.check(block);
    if (step === undefined || step.kind === 'new') return false;
    if (step.kind === 'replayed') plan.replayed.push(step.entry);
    else {
      plan.fault ??= step.fault;
      if (!this.isChecked) plan.replayed.push(observed(block, plan.at));
    }
    return true;
  }

  /** Logs a new event; answers up to where the chunk is written, which differs only where an id of ours is added. */
  private takeNew(chunk: Buffer, from: number, written: number, block: SseBlock, plan: ChunkPlan): number {
    const ownId = this.idFor(block);
    plan.events.push(this.eventOf(chunk, from, block, ownId, plan));
    if (ownId === null) return written;
    plan.out.push(chunk.subarray(written, block.blankAt), Buffer.from(`id: ${ownId}\n`, 'latin1'));
    return block.blankAt;
  }

  private eventOf(chunk: Buffer, from: number, block: SseBlock, ownId: string | null, plan: ChunkPlan): NewEvent {
    const { requestId } = this.names;
    const { retains, retainedBytesMax } = this.options;
    const needsBytes = retains || requestId !== null;
    const bytes = needsBytes && !this.isOverflowed ? this.blockBytes(chunk, from, block, ownId) : null;
    const isTooLarge = retains && (bytes === null || bytes.length > retainedBytesMax);
    if (isTooLarge) plan.oversized = true;
    return {
      id: ownId ?? (block.id === '' || block.idTooLong ? null : block.id),
      fingerprint: block.fingerprint,
      bytes: retains && bytes !== null ? bytes.length : block.dataBytes,
      frame: retains && !isTooLarge && bytes !== null ? Buffer.from(bytes) : null,
      isAnswer: requestId !== null && bytes !== null && block.dataBytes > 0 && isAnswerTo(bytes, requestId),
      isOwnId: ownId !== null,
      at: plan.at,
    };
  }

  private blockBytes(chunk: Buffer, from: number, block: SseBlock, ownId: string | null): Buffer {
    if (ownId === null && this.held.length === 0) return chunk.subarray(from, block.end);
    const parts = [...this.held, chunk.subarray(from, block.blankAt)];
    if (ownId !== null) parts.push(Buffer.from(`id: ${ownId}\n`, 'latin1'));
    parts.push(chunk.subarray(block.blankAt, block.end));
    return Buffer.concat(parts);
  }

  /** An id of our own only where the server sends none at all on this stream. */
  private idFor(block: SseBlock): string | null {
    if (block.id !== null) this.hasServerIds = true;
    if (!this.options.retains || this.hasServerIds || this.options.check !== null) return null;
    this.injected++;
    return `${this.injectedTag}-${this.injected}`;
  }

  private complete(plan: ChunkPlan, results: readonly AppendResult[]): void {
    this.eventCount += plan.replayed.length + results.length;
    if (results.length > 0) this.noteLogged(plan, results);
    if (this.client !== null) {
      const generation = this.options.generation();
      for (const entry of plan.replayed) this.options.journal.noteDelivered(entry, generation, this.conn);
      for (const { entry } of results) this.options.journal.noteDelivered(entry, generation, this.conn);
    }
    const [only] = plan.out;
    if (only !== undefined) this.write(plan.out.length === 1 ? only : Buffer.concat(plan.out));
    if (plan.fault !== null) this.options.onFault(this, plan.fault);
    else if (this.options.check?.owed === 0) this.reportReplayed();
  }

  private noteLogged(plan: ChunkPlan, results: readonly AppendResult[]): void {
    this.options.onEvents(results.length);
    if (results.some((result) => result.startedGeneration)) this.options.onGeneration(this);
    if (plan.oversized) this.markHoles(results);
    const generation = this.options.generation();
    for (const { entry } of results) {
      if (entry.isAnswer) this.isAnswered = true;
      this.options.journal.noteEmitted(entry, generation);
    }
  }

  private markHoles(results: readonly AppendResult[]): void {
    for (const { entry } of results) {
      if (entry.frame === null) this.change({ kind: 'hole', stream: this.names.stream, position: entry.position });
    }
  }

  private change(change: LogChange): void {
    try {
      const outcome = this.options.store.change(this.names.key, change);
      if (outcome instanceof Promise) outcome.catch(() => undefined);
    } catch {
      // A store that cannot be reached refuses every resume, which is the safe side of a lost mark.
    }
  }

  private reportReplayed(): void {
    if (this.wasReplayReported) return;
    this.wasReplayReported = true;
    this.options.onReplayed(this);
  }

  private hold(bytes: Buffer): void {
    if (this.isOverflowed) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= HELD_BYTES_MAX) return;
    this.isOverflowed = true;
    this.held = [];
  }

  private release(): void {
    if (this.held.length > 0) this.held = [];
    this.heldBytes = 0;
    this.isOverflowed = false;
  }

  private write(bytes: Buffer): void {
    const { client } = this;
    if (client === null) return;
    if (this.sendHead !== null) {
      this.sendHead();
      this.sendHead = null;
    }
    if (!writeChunk(client, bytes)) this.block(client);
  }

  private block(client: ServerResponse): void {
    if (this.isBlocked) return;
    this.isBlocked = true;
    this.options.upstream.pause();
    onceWritable(client, () => this.unblock());
  }

  private unblock(): void {
    if (!this.isBlocked) return;
    this.isBlocked = false;
    if (!this.isAppending) this.options.upstream.resume();
  }

  private onClientClose(client: ServerResponse): void {
    if (this.client !== client) return;
    this.detach();
    if (this.isOpen) this.options.onClientGone(this);
  }

  private finish(isClean: boolean): void {
    if (!this.isOpen) return;
    this.isEndedUpstream = true;
    this.drain();
    if (isClean && this.isAppending) this.isEnding = true;
    if (!this.isEnding && this.isOpen) this.end(isClean);
  }

  private end(isClean: boolean): void {
    if (!this.isOpen) return;
    // The server says that this was all, and it was not.
    if (isClean && this.isChecked && this.client !== null && (this.options.check?.owed ?? 0) > 0) {
      this.options.onFault(this, 'missing');
      return;
    }
    this.isOpen = false;
    this.options.onEnd(this, isClean);
    if (this.options.check !== null) this.reportReplayed();
    this.options.journal.flush();
  }
}

/** A faulty event that shadow lets through, as it is reported: it went to the client, whatever it was. */
function observed({ id, fingerprint, dataBytes }: SseBlock, at: number): LoggedEvent {
  return { id, fingerprint, bytes: dataBytes, frame: null, isAnswer: false, isOwnId: false, at, position: 0 };
}

interface ChunkPlan {
  readonly events: NewEvent[];
  readonly replayed: LoggedEvent[];
  readonly out: Buffer[];
  fault: ReplayFault | null;
  oversized: boolean;
  readonly at: number;
}
