import type { Journal, Telemetry } from '@/lib/proxy/telemetry';
import type { NewEvent } from '@/lib/session-log/event-ring';

/** Names under which a connection reports. */
export interface JournalNames {
  readonly server: string;
  readonly session: string;
  readonly stream: string;
  readonly protocolVersion: string | null;
}

type NotedEvent = Pick<NewEvent, 'id' | 'fingerprint'>;

const RUN_MAX = 256;

/** Hexadecimal digits of 53 bits. */
const DIGEST_DIGITS = 14;
const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/**
 * Digests leave the process in hexadecimal, as other reporters write theirs. Those of a run are cut from one text: put
 * into words one by one they would cost more than all the rest of an event.
 */
function digestsOf(fingerprints: readonly number[]): string[] {
  const digits = Buffer.allocUnsafe(DIGEST_DIGITS * fingerprints.length);
  let at = digits.length;
  for (let i = fingerprints.length - 1; i >= 0; i--) {
    const fingerprint = fingerprints[i] ?? 0;
    const low = fingerprint >>> 0;
    at = writeHex(digits, at, low, 8);
    at = writeHex(digits, at, (fingerprint - low) / 0x1_0000_0000, DIGEST_DIGITS - 8);
  }
  const text = digits.toString('latin1');
  const digests: string[] = [];
  for (let from = 0; from < text.length; from += DIGEST_DIGITS) digests.push(text.slice(from, from + DIGEST_DIGITS));
  return digests;
}

/** Writes the lowest digits of a number so that they end at `end`; answers where they begin. */
function writeHex(target: Buffer, end: number, value: number, digits: number): number {
  let at = end;
  for (let rest = value | 0; at > end - digits; rest >>>= 4) target[--at] = HEX_DIGITS[rest & 15] ?? 0;
  return at;
}

/**
 * Joins the events of one connection into runs, so that a fast stream costs a record per run and not per event. Between
 * two flushes an event costs a place in two lists; what is told of it is put into words when the run is told.
 */
export class LegJournal implements Journal {
  private ids: string[] = [];
  private fingerprints: number[] = [];
  private bytes = 0;
  private delivered: string[] = [];
  private replayedFingerprints: number[] = [];
  private generation = '';
  /** Connection that live events go to; null while none is there. */
  private liveConn: string | null = null;
  private isDirty = false;

  constructor(
    private readonly telemetry: Telemetry,
    private readonly names: JournalNames,
    /** Whether the connection was resumed upstream. */
    private readonly isReplay = false,
  ) {}

  /** An event came, and went to the connection `conn`, if one is there. */
  noteLive(event: NewEvent, position: number, generation: string, conn: string | null): void {
    const { id } = event;
    if (id === null) return;
    if (generation !== this.generation || conn !== this.liveConn) this.turn(generation, conn);
    if (event.bytes > 0 && !event.isAnswer) {
      this.ids.push(id);
      this.fingerprints.push(event.fingerprint);
      this.bytes += event.bytes;
    } else {
      this.endRun();
      this.addSingle(event, position);
      if (conn !== null) this.noteDelivered(event, generation, conn);
    }
    this.touch();
  }

  /** An event of an earlier connection went to `conn`. */
  noteDelivered({ id, fingerprint }: NotedEvent, generation: string, conn: string): void {
    if (id === null) return;
    if (generation !== this.generation || conn !== this.liveConn) this.turn(generation, conn);
    else this.endRun();
    this.delivered.push(id);
    if (this.isReplay) this.replayedFingerprints.push(fingerprint);
    this.touch();
  }

  flush(): void {
    this.isDirty = false;
    this.endRun();
    const { delivered, replayedFingerprints } = this;
    if (delivered.length === 0 || this.liveConn === null) return;
    this.delivered = [];
    this.replayedFingerprints = [];
    // Live events were digested when they were emitted; what a server replays may carry other data than it did.
    const digests = this.isReplay ? { digests: digestsOf(replayedFingerprints) } : {};
    this.telemetry.add({ type: 'deliver', ...this.common(), conn: this.liveConn, event_ids: delivered, ...digests });
  }

  /** What follows belongs to another generation or connection. */
  private turn(generation: string, conn: string | null): void {
    this.flush();
    this.generation = generation;
    this.liveConn = conn;
  }

  private touch(): void {
    if (this.ids.length + this.delivered.length >= RUN_MAX) this.flush();
    else if (!this.isDirty) {
      this.isDirty = true;
      this.telemetry.markDirty(this);
    }
  }

  /** Tells the run of emitted events; they were delivered too when a connection was there. */
  private endRun(): void {
    const { ids, fingerprints, bytes } = this;
    if (ids.length === 0) return;
    this.ids = [];
    this.fingerprints = [];
    this.bytes = 0;
    this.telemetry.add({ type: 'emit', ...this.common(), event_ids: ids, digests: digestsOf(fingerprints), bytes });
    if (this.liveConn === null) return;
    if (this.delivered.length === 0) this.delivered = [...ids];
    else this.delivered.push(...ids);
    if (this.isReplay) this.replayedFingerprints.push(...fingerprints);
  }

  private addSingle(event: NewEvent, position: number): void {
    this.telemetry.add({
      type: 'emit',
      ...this.common(),
      event_id: event.id ?? '',
      position,
      kind: event.bytes === 0 ? 'priming' : 'message',
      digest: digestsOf([event.fingerprint])[0] ?? null,
      bytes: event.bytes,
      ...(event.isAnswer ? { rpc: { type: 'response' as const } } : {}),
    });
  }

  private common() {
    return {
      server: this.names.server,
      session: this.names.session,
      stream: this.names.stream,
      generation: this.generation,
      protocol_version: this.names.protocolVersion,
    };
  }
}
