import { randomBytes } from 'node:crypto';
import type { BodyBudget } from '@/lib/proxy/body-budget';
import { HeldBytes } from '@/lib/proxy/held-bytes';
import { answeredIn } from '@/lib/proxy/rpc-summary';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { idsOf, pendingText } from '@/lib/session-log/pending-ids';
import type { ReplayCheck, ReplayFault } from '@/lib/session-log/replay-check';
import type { LoggedEvent } from '@/lib/session-log/stream-log';
import { BlockScanner, type SseBlock } from '@/lib/sse/block-scanner';
import type { FingerprintKey } from '@/lib/sse/fingerprint';

export interface ChunkReaderOptions {
  /** What waits for the stream, see `pendingText`; null for the standalone stream. */
  readonly requestId: string | null;
  readonly fingerprintKey: FingerprintKey;
  readonly clock: () => number;
  /** Whether frames are kept to be replayed, and events named that the server does not name. */
  readonly retains: boolean;
  readonly retainedBytesMax: number;
  /** Bytes of unfinished events, of all streams together. */
  readonly unfinished: BodyBudget;
  /** On a resumed upstream connection: what must come first. */
  readonly check: ReplayCheck | null;
  /** Whether a fault of the replay ends the stream before the client sees it. */
  readonly enforces: boolean;
}

/** What is to be done with a piece of a stream: the events that it completes, and the bytes that go to the client. */
export interface ChunkPlan {
  readonly events: NewEvent[];
  readonly replayed: LoggedEvent[];
  /** The bytes for the client, piece by piece; null where they are the chunk as it came. */
  readonly out: Buffer[] | null;
  fault: ReplayFault | null;
  /** An event was too large to be kept. */
  isOversized: boolean;
  /** Requests of a batch that were answered while others still wait; null mostly. */
  answered: readonly string[] | null;
  readonly at: number;
}

const decodeLatin1 = (chunk: Buffer, start: number, end: number): string => chunk.toString('latin1', start, end);

/** Reads the events of one stream from the pieces in which it comes, and decides what becomes of each. */
export class ChunkReader {
  readonly held: HeldBytes;
  private readonly scanner: BlockScanner<Buffer>;
  private blocks: SseBlock[] = [];
  private injectedTag = '';
  private injected = 0;
  private hasServerIds = false;
  /** Requests that still wait, each as JSON text. */
  private waiting: readonly string[];

  constructor(private readonly options: ChunkReaderOptions) {
    this.held = new HeldBytes(options.unfinished);
    this.waiting = idsOf(options.requestId);
    this.scanner = new BlockScanner(options.fingerprintKey, (block) => this.blocks.push(block), decodeLatin1);
  }

  /** Whether ids on this stream are ours, because the server sends none. */
  get hasOwnIds(): boolean {
    return this.injected > 0;
  }

  /** What still waits for the stream, see `pendingText`. */
  get pending(): string | null {
    return pendingText(this.waiting);
  }

  /** Whether nothing is written before it is known to be owed. */
  get isChecked(): boolean {
    return this.options.check !== null && this.options.enforces;
  }

  /** Reads `chunk[start, end)`; null where it completes no event. */
  read(chunk: Buffer, start: number, end: number): ChunkPlan | null {
    this.scanner.feed(chunk, start, end);
    if (this.blocks.length === 0) {
      this.held.add(chunk, start, end);
      return null;
    }
    const { blocks } = this;
    this.blocks = [];
    return this.isPlain ? this.planPlain(chunk, start, end, blocks) : this.plan(chunk, start, end, blocks);
  }

  /** Bytes go to the client exactly as they come. */
  private get isPlain(): boolean {
    return this.options.check === null && (!this.options.retains || this.hasServerIds);
  }

  private planPlain(chunk: Buffer, start: number, end: number, blocks: readonly SseBlock[]): ChunkPlan {
    const plan: ChunkPlan = {
      events: [],
      replayed: [],
      out: null,
      fault: null,
      isOversized: false,
      answered: null,
      at: this.options.clock(),
    };
    let from = start;
    for (const block of blocks) {
      if (isEvent(block)) plan.events.push(this.eventOf(chunk, from, block, null, plan));
      this.held.clear();
      from = block.end;
    }
    if (from < end) this.held.add(chunk, from, end);
    return plan;
  }

  /** Decides block by block: what a resumed connection owes comes first, and ids of ours are added where there are none. */
  private plan(chunk: Buffer, start: number, end: number, blocks: readonly SseBlock[]): ChunkPlan {
    const out: Buffer[] = [];
    const plan: ChunkPlan = { events: [], replayed: [], out, fault: null, isOversized: false, answered: null, at: this.options.clock() };
    const heldBefore = this.held.pieces;
    let from = start;
    let written = start;
    for (const block of blocks) {
      if (isEvent(block) && !this.takeReplayed(block, plan)) written = this.takeNew(chunk, from, written, block, plan, out);
      if (plan.fault !== null && this.isChecked) break;
      this.held.clear();
      from = block.end;
    }
    if (this.isChecked && from > start) out.unshift(...heldBefore);
    const verified = this.isChecked ? from : end;
    if (written < verified) out.push(chunk.subarray(written, verified));
    if (from < end) this.held.add(chunk, from, end);
    return plan;
  }

  /** Holds a block of a resumed connection against what is owed. False when it is nothing that was relayed before. */
  private takeReplayed(block: SseBlock, plan: ChunkPlan): boolean {
    const { check } = this.options;
    if (check === null) return false;
    const step = check.check(block);
    if (step.kind === 'new') return false;
    if (step.kind === 'replayed') plan.replayed.push(step.entry);
    else {
      plan.fault ??= step.fault;
      if (!this.isChecked) plan.replayed.push(observed(block, plan.at));
    }
    return true;
  }

  /** Takes a new event; answers up to where the chunk is written, which differs only where an id of ours is added. */
  private takeNew(chunk: Buffer, from: number, written: number, block: SseBlock, plan: ChunkPlan, out: Buffer[]): number {
    const ownId = this.idFor(block);
    plan.events.push(this.eventOf(chunk, from, block, ownId, plan));
    if (ownId === null) return written;
    out.push(chunk.subarray(written, block.blankAt), Buffer.from(`id: ${ownId}\n`, 'latin1'));
    return block.blankAt;
  }

  private eventOf(chunk: Buffer, from: number, block: SseBlock, ownId: string | null, plan: ChunkPlan): NewEvent {
    const { requestId, retains, retainedBytesMax } = this.options;
    const needsBytes = (retains || requestId !== null) && !this.held.isOverflowed;
    const bytes = needsBytes ? this.blockBytes(chunk, from, block, ownId) : null;
    const isTooLarge = retains && (bytes === null || bytes.length > retainedBytesMax);
    if (isTooLarge) plan.isOversized = true;
    return {
      id: ownId ?? (block.id === '' || block.idTooLong ? null : block.id),
      fingerprint: block.fingerprint,
      bytes: retains && bytes !== null ? bytes.length : block.dataBytes,
      frame: retains && !isTooLarge ? bytes : null,
      isAnswer: this.waiting.length > 0 && bytes !== null && block.dataBytes > 0 && this.isLastAnswer(bytes, plan),
      isOwnId: ownId !== null,
      at: plan.at,
    };
  }

  /** Whether nothing waits any more after this event. */
  private isLastAnswer(bytes: Buffer, plan: ChunkPlan): boolean {
    const answered = answeredIn(bytes, this.waiting);
    if (answered.length === 0) return false;
    this.waiting = this.waiting.filter((id) => !answered.includes(id));
    if (this.waiting.length === 0) return true;
    plan.answered = [...(plan.answered ?? []), ...answered];
    return false;
  }

  private blockBytes(chunk: Buffer, from: number, block: SseBlock, ownId: string | null): Buffer {
    const { pieces } = this.held;
    if (ownId === null && pieces.length === 0) return chunk.subarray(from, block.end);
    const parts = [...pieces, chunk.subarray(from, block.blankAt)];
    if (ownId !== null) parts.push(Buffer.from(`id: ${ownId}\n`, 'latin1'));
    parts.push(chunk.subarray(block.blankAt, block.end));
    return Buffer.concat(parts);
  }

  /** An id of our own only where the server sends none at all on this stream. */
  private idFor(block: SseBlock): string | null {
    if (block.id !== null) this.hasServerIds = true;
    if (!this.options.retains || this.hasServerIds || this.options.check !== null) return null;
    if (this.injected === 0) this.injectedTag = randomBytes(6).toString('hex');
    this.injected++;
    return `${this.injectedTag}-${this.injected}`;
  }
}

/** Whether a block is an event, or moves the cursor: a comment that keeps a connection alive is neither, nor is a `retry` alone. */
const isEvent = ({ id, dataLines }: SseBlock): boolean => id !== null || dataLines > 0;

/** A faulty event that shadow lets through, as it is reported: it went to the client, whatever it was. */
function observed({ id, fingerprint, dataBytes }: SseBlock, at: number): LoggedEvent {
  return { id, fingerprint, bytes: dataBytes, frame: null, isAnswer: false, isOwnId: false, at, position: 0 };
}
