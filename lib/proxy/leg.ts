import type { ServerResponse } from 'node:http';
import { type ChunkPlan, ChunkReader, type ChunkReaderOptions } from '@/lib/proxy/chunk-reader';
import { LegClient } from '@/lib/proxy/leg-client';
import type { LegJournal } from '@/lib/proxy/leg-journal';
import type { LogChange, Maybe, SessionLogStore } from '@/lib/proxy/log-store';
import type { StreamSink, StreamSource } from '@/lib/proxy/stream-source';
import type { ReplayCheck, ReplayFault } from '@/lib/session-log/replay-check';
import type { AppendResult } from '@/lib/session-log/session-log';
import type { LoggedEvent } from '@/lib/session-log/stream-log';

export interface LegNames {
  readonly key: string;
  readonly stream: string;
  /** What waits for this stream, see `pendingText`; null for a standalone one. */
  readonly requestId: string | null;
}

export interface LegOptions extends Omit<ChunkReaderOptions, 'requestId'> {
  readonly names: LegNames;
  readonly source: StreamSource;
  readonly store: SessionLogStore;
  readonly journal: LegJournal;
  /** Label of the session's live generation. */
  readonly generation: () => string;
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
export class Leg implements StreamSink {
  isOpen = true;
  /** Whether it was the upstream's side that ended, rather than this proxy letting go of it. */
  isEndedUpstream = false;
  /** Whether this side took it for gone: that says nothing of the process at the other end. */
  isGivenUp = false;
  /** Whether the request of this stream was answered on it. */
  isAnswered: boolean;
  /** Events that came on this connection, replayed ones included. */
  eventCount = 0;
  readonly names: LegNames;
  private readonly reader: ChunkReader;
  private readonly taker: LegClient;
  private isEnding = false;
  private isAppending = false;
  /** Those who asked that nothing be read, and still do. */
  private readonly pauses = new Set<object>();
  private wasReplayReported = false;

  constructor(private readonly options: LegOptions) {
    this.names = options.names;
    this.isAnswered = options.check?.isAnswered ?? false;
    this.reader = new ChunkReader({ ...options, requestId: options.names.requestId });
    this.taker = new LegClient(
      () => options.source.hold(),
      () => this.release(),
    );
    options.source.divert(this);
  }

  /** Response that this stream is written to; null while it has no client. */
  get client(): ServerResponse | null {
    return this.taker.response;
  }

  /** Name of the connection of its latest client. */
  get conn(): string {
    return this.taker.conn;
  }

  set conn(conn: string) {
    this.taker.conn = conn;
  }

  get check(): ReplayCheck | null {
    return this.options.check;
  }

  /** Whether ids on this stream are ours, because the server sends none. */
  get hasOwnIds(): boolean {
    return this.reader.hasOwnIds;
  }

  /** What waits for this stream still, see `pendingText`. */
  get pending(): string | null {
    return this.isAnswered ? null : this.reader.pending;
  }

  /** Whether a client that has everything up to the head can be attached without losing a byte. */
  get canAttach(): boolean {
    return this.isOpen && !this.reader.held.isOverflowed && !this.isAppending;
  }

  /** Whether nothing is read from the upstream for reasons of this side. */
  get isHeld(): boolean {
    return this.taker.isBlocked || this.isAppending || this.pauses.size > 0;
  }

  /** The client, where it took nothing of what waits for it for that long. */
  stalledClient(ms: number): ServerResponse | null {
    return this.taker.stalled(ms);
  }

  /** Writes a comment to the client, where an event is not amid being written. */
  beat(): void {
    if (!this.isHeld && this.reader.held.isEmpty) this.taker.beat();
  }

  /** The upstream's side is taken for gone, although nothing said so. */
  lose(): void {
    this.isGivenUp = true;
    this.finish(false);
    this.options.source.destroy();
  }

  /** Whether every event read so far is logged. */
  get isSettled(): boolean {
    return !this.isAppending;
  }

  /** Reads nothing more from the upstream; answers how to go on. */
  pause(): () => void {
    const pause = {};
    this.pauses.add(pause);
    this.options.source.hold();
    return () => {
      if (this.pauses.delete(pause)) this.release();
    };
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
    this.taker.take(client, conn, sendHead);
    client.on('close', () => this.onClientClose(client));
    for (const event of replayed) {
      if (event.frame !== null) client.write(event.frame);
      this.options.journal.noteDelivered(event, this.options.generation(), conn);
    }
    if (!this.reader.isChecked) for (const piece of this.reader.held.pieces) client.write(piece);
    if (client.writableNeedDrain) this.taker.block(client);
  }

  /** Lets go of the client without ending its response. */
  detach(): void {
    this.taker.letGo();
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
    // Ended first: what its own connection says of being closed is not the upstream's word.
    this.end(false);
    this.options.source.destroy();
  }

  take(chunk: Buffer, start: number, end: number): boolean {
    if (!this.isOpen) return true;
    const { client } = this;
    const plan = this.reader.read(chunk, start, end);
    if (plan === null) {
      if (!this.reader.isChecked) this.taker.write(chunk, start, end);
      else if (this.reader.held.isOverflowed) this.options.onFault(this, 'missing');
    } else if (plan.events.length === 0) this.complete(plan, NONE, chunk, start, end);
    else this.append(plan, chunk, start, end);
    return !this.isAppending && (client === null || client.writableLength === 0);
  }

  finish(isClean: boolean): void {
    if (!this.isOpen) return;
    this.isEndedUpstream = true;
    if (isClean && this.isAppending) this.isEnding = true;
    if (!this.isEnding) this.end(isClean);
  }

  private append(plan: ChunkPlan, chunk: Buffer, start: number, end: number): void {
    let outcome: Maybe<readonly AppendResult[]>;
    try {
      outcome = this.options.store.append(this.names.key, this.names.stream, this.names.requestId, plan.events);
    } catch {
      outcome = NONE;
    }
    if (outcome instanceof Promise) this.appendLater(outcome, plan, chunk, start, end);
    else this.complete(plan, outcome, chunk, start, end);
  }

  /** Nothing more is read until the events are logged. */
  private appendLater(outcome: Promise<readonly AppendResult[]>, plan: ChunkPlan, chunk: Buffer, start: number, end: number): void {
    this.isAppending = true;
    this.options.source.hold();
    outcome
      .catch((): readonly AppendResult[] => NONE)
      .then((results) => {
        this.isAppending = false;
        this.complete(plan, results, chunk, start, end);
        if (this.isEnding) this.end(true);
        else this.release();
      });
  }

  private complete(plan: ChunkPlan, results: readonly AppendResult[], chunk: Buffer, start: number, end: number): void {
    this.eventCount += plan.replayed.length + results.length;
    if (results.length > 0) this.noteLogged(plan, results);
    if (plan.replayed.length > 0 && this.client !== null) {
      for (const entry of plan.replayed) this.options.journal.noteDelivered(entry, this.options.generation(), this.conn);
    }
    if (plan.out === null) this.taker.write(chunk, start, end);
    else this.taker.writeAll(plan.out);
    if (plan.fault !== null) this.options.onFault(this, plan.fault);
    else if (this.options.check?.owed === 0) this.reportReplayed();
  }

  private noteLogged(plan: ChunkPlan, results: readonly AppendResult[]): void {
    this.options.onEvents(results.length);
    if (results.some((one) => one.startedGeneration)) this.options.onGeneration(this);
    if (plan.isOversized) this.markHoles(plan, results);
    if (plan.answered !== null) this.change({ kind: 'answered', stream: this.names.stream, ids: plan.answered });
    const generation = this.options.generation();
    const conn = this.client === null ? null : this.conn;
    for (let i = 0; i < results.length; i++) {
      const event = plan.events[i];
      const position = results[i]?.position;
      if (event === undefined || position === undefined) continue;
      if (event.isAnswer) this.isAnswered = true;
      this.options.journal.noteLive(event, position, generation, conn);
    }
  }

  private markHoles(plan: ChunkPlan, results: readonly AppendResult[]): void {
    for (const [i, { position }] of results.entries()) {
      if (plan.events[i]?.frame === null) this.change({ kind: 'hole', stream: this.names.stream, position });
    }
  }

  private change(change: LogChange): void {
    try {
      const outcome = this.options.store.change(this.names.key, change);
      if (outcome instanceof Promise) outcome.catch(() => undefined);
    } catch {
      // A store that cannot be reached refuses every resume, and is told of a hole before it serves one again.
    }
  }

  private release(): void {
    if (!this.isHeld) this.options.source.release();
  }

  private reportReplayed(): void {
    if (this.wasReplayReported) return;
    this.wasReplayReported = true;
    this.options.onReplayed(this);
  }

  private onClientClose(client: ServerResponse): void {
    if (this.client !== client) return;
    this.detach();
    if (this.isOpen) this.options.onClientGone(this);
  }

  private end(isClean: boolean): void {
    if (!this.isOpen) return;
    // The server says that this was all, and it was not.
    if (isClean && this.reader.isChecked && this.client !== null && (this.options.check?.owed ?? 0) > 0) {
      this.options.onFault(this, 'missing');
      return;
    }
    this.isOpen = false;
    this.options.onEnd(this, isClean);
    if (this.options.check !== null) this.reportReplayed();
    this.options.journal.flush();
    this.reader.held.clear();
  }
}

const NONE: readonly AppendResult[] = [];
